import { expect, onTestFinished, test, vi } from 'vitest'
import {
  AbortedError,
  ApiError,
  type CallOptions,
  type OpenOrder,
  PaymentIntents,
  type ReconcileReport,
  type ReconcileSummary,
} from '../../src/index.ts'
import { fakeTime } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  clientOf,
  order,
  problem,
  reset,
  retrieved,
  type Step,
  scriptedService,
} from '../scripted-service.ts'
import { handlerOf } from './shop.ts'

function openOrders(count: number): OpenOrder[] {
  return Array.from({ length: count }, (_, index) => ({ ...order, intentId: `pi_${index}` }))
}

/** Responds with the step of the intent's id, or with a paid intent. */
function byId(steps: Readonly<Record<string, Step>>): Step {
  return (response, request) => {
    const step = steps[request.url.split('/').at(-1) ?? ''] ?? retrieved({ status: 'succeeded' })
    return step(response, request)
  }
}

/** Runs with a service. Returns the reports, and the calls of `settle`. */
async function run(
  rows: Iterable<OpenOrder> | AsyncIterable<OpenOrder>,
  step: Step,
): Promise<{
  readonly reports: ReconcileReport[]
  readonly settled: readonly string[]
  readonly summary: ReconcileSummary
}> {
  const { intents } = await clientOf([step], fakeTime())
  const reports: ReconcileReport[] = []
  const settled: string[] = []
  const { reconcile } = handlerOf({
    intents,
    settle: ({ intent, phase }) => settled.push(`${intent.id} ${phase}`),
  })
  const summary = await reconcile(rows, { onReport: (report) => reports.push(report) })
  return { reports, settled, summary }
}

const notFound = problem(404, 'payment_intent_not_found')

test('settles every final order, counts the reports, and continues after a lost response', async () => {
  async function* rows() {
    yield* openOrders(5)
  }
  const steps = {
    pi_1: retrieved({ status: 'processing' }),
    pi_3: retrieved({ status: 'expired' }),
    pi_4: reset,
  }
  const { reports, settled, summary } = await run(rows(), byId(steps))
  expect(summary).toEqual({
    ...{ orders: 5, paid: 2, failed: 1, processing: 1, open: 0, unknown: 0 },
    ...{ needs_review: 0, error: 1 },
  })
  expect([...settled].sort()).toEqual(['pi_0 paid', 'pi_2 paid', 'pi_3 failed'])
  const kinds = reports.map(({ order, kind }) => [order.intentId, kind])
  expect(Object.fromEntries(kinds)).toEqual({
    ...{ pi_0: 'settled', pi_1: 'pending', pi_2: 'settled', pi_3: 'settled', pi_4: 'error' },
  })
})

test('processes at most the given number of orders, and reads no further ahead', async () => {
  let running = 0
  let most = 0
  let read = 0
  const intents = {
    retrieve: async (id: string) => {
      most = Math.max(most, ++running)
      expect(read).toBeLessThanOrEqual(Number(id.slice(3)) + 4)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return { ...order, id, status: 'succeeded' } as never
    },
  }
  async function* rows() {
    for (const row of openOrders(20)) {
      read++
      yield row
    }
  }
  await handlerOf({ intents: intents as never }).reconcile(rows(), { concurrency: 3 })
  expect(most).toBe(3)
})

const open = retrieved({ status: 'requires_payment_method' })
const openReport = { kind: 'pending', phase: 'open' }
test.each<[string, Partial<OpenOrder>, Step, readonly object[]]>([
  [
    'a payment with another amount',
    { intentId: 'pi_0' },
    retrieved({ status: 'succeeded', amount: 1 }),
    [{ kind: 'needs_review', reason: 'paid_with_mismatch', intent: { id: 'pi_0' } }],
  ],
  [
    'an unpaid intent with another amount',
    { intentId: 'pi_0' },
    retrieved({ amount: 1 }),
    [{ kind: 'pending', phase: 'unknown', intent: { id: 'pi_0' } }],
  ],
  [
    'a payment on an old intent',
    { intentId: 'pi_new', oldIntentIds: ['pi_older', 'pi_old', 'pi_new'] },
    byId({ pi_new: open, pi_older: open }),
    [openReport, { kind: 'needs_review', reason: 'paid_on_old_intent', intent: { id: 'pi_old' } }],
  ],
  [
    'a payment on an old intent, although every other id fails',
    { intentId: 'pi_gone', oldIntentIds: ['pi_lost', 'pi_paid'] },
    byId({ pi_gone: notFound, pi_lost: notFound }),
    [
      { kind: 'error', intentId: 'pi_gone', error: { code: 'payment_intent_not_found' } },
      { kind: 'error', intentId: 'pi_lost', error: { code: 'payment_intent_not_found' } },
      { kind: 'needs_review', reason: 'paid_on_old_intent', intent: { id: 'pi_paid' } },
    ],
  ],
  [
    'a paid intent, although an old id fails',
    { intentId: 'pi_now', oldIntentIds: ['pi_now', 'pi_gone', '', 'pi_other'] },
    byId({ pi_gone: notFound, pi_other: problem(403, 'forbidden') }),
    [
      { kind: 'settled', phase: 'paid', intent: { id: 'pi_now' } },
      { kind: 'error', intentId: 'pi_gone', error: { code: 'payment_intent_not_found' } },
      { kind: 'error', intentId: '', error: expect.any(TypeError) },
      { kind: 'error', intentId: 'pi_other', error: { status: 403 } },
    ],
  ],
])('reports %s', async (_, row, step, expected) => {
  const { reports, settled } = await run([{ ...order, intentId: '', ...row }], step)
  expect(reports).toMatchObject(expected)
  expect(reports).toHaveLength(expected.length)
  expect(settled).toHaveLength(
    expected.filter((report) => 'phase' in report && report.phase === 'paid').length,
  )
})

test('without onReport, errors and payments to review are passed to onError', async () => {
  const { intents } = await clientOf([
    byId({ pi_0: retrieved({ status: 'succeeded', amount: 1 }), pi_1: notFound }),
  ])
  const errors: unknown[] = []
  const { reconcile } = handlerOf({
    intents,
    onError: (about) => errors.push(about),
  })
  await reconcile(openOrders(3), { concurrency: 1 })
  const review = /^reconcile: intent pi_0 of order A-1001 is paid_with_mismatch\. Review it/
  expect(errors).toMatchObject([
    { error: { message: expect.stringMatching(review) }, context: undefined },
    { error: { code: 'payment_intent_not_found' }, context: undefined },
  ])
})

test.each([
  ['an empty intentId', { ...order, intentId: '' }],
  ['an intentId that is null', { ...order, intentId: null }],
  ['an intentId with a path', { ...order, intentId: '../x' }],
  ['no amount', { ...order, intentId: 'pi_bad', amount: undefined }],
  ['a currency that is null', { ...order, intentId: 'pi_bad', currency: null }],
  ['no orderId', { ...order, intentId: 'pi_bad', orderId: undefined }],
  ['old ids that are no list', { ...order, intentId: 'pi_bad', oldIntentIds: 7 }],
  ['nothing', undefined],
  ['null', null],
])('a row with %s is a TypeError, and the others are settled', async (_, row) => {
  const [first, last] = openOrders(2)
  const { reports, summary } = await run([first, row, last] as OpenOrder[], byId({}))
  const bad = reports.filter(({ kind }) => kind !== 'settled')
  expect(bad).toMatchObject([{ order: row, kind: 'error', error: expect.any(TypeError) }])
  expect(summary).toMatchObject({ orders: 3, paid: 2, error: 1 })
})

test('a missing variable ends the run instead of failing every row', async () => {
  vi.stubEnv('PI_API_KEY', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const intents = new PaymentIntents({ baseUrl: 'http://127.0.0.1:1' })
  const onReport = () => expect.fail('an order was reported')
  const call = handlerOf({ intents }).reconcile(openOrders(3), { onReport })
  await expect(call).rejects.toThrow(/^PI_API_KEY: /)
})

test('a rejected key ends the run instead of failing every order', async () => {
  const { service, intents } = await clientOf([problem(401, 'invalid_credentials')])
  let closed = false
  async function* rows() {
    try {
      yield* openOrders(100)
    } finally {
      closed = true
    }
  }
  const call = handlerOf({ intents }).reconcile(rows(), { concurrency: 2 })
  await expect(call).rejects.toBeInstanceOf(ApiError)
  expect(service.requests.length).toBeLessThanOrEqual(2)
  expect(closed).toBe(true)
})

test("one merchant's rejected key does not end the run for the others", async () => {
  const rejected = await clientOf([problem(401, 'invalid_credentials')])
  const accepted = await clientOf([retrieved({ status: 'succeeded' })])
  const { reconcile } = handlerOf({
    intents: ({ order }) => (order.intentId === 'pi_0' ? rejected : accepted).intents,
  })
  expect(await reconcile(openOrders(3))).toMatchObject({ orders: 3, paid: 2, error: 1 })
})

test('a run that stopped can start again, also concurrently', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const unsettled = new Map(openOrders(20).map((row) => [row.intentId, row]))
  const settled: string[] = []
  const { reconcile } = handlerOf({
    intents,
    settle: ({ intent }) => {
      if (unsettled.delete(intent.id)) settled.push(intent.id)
      if (settled.length === 7) throw new Error('killed')
    },
  })
  const start = (): Promise<unknown> => reconcile(unsettled.values())
  await expect(start()).rejects.toThrow('killed')
  await Promise.all([start().catch(() => {}), start().catch(() => {})])
  await start()
  expect(settled).toHaveLength(20)
  expect(new Set(settled).size).toBe(20)
})

const steps = ['next', 'intents', 'retrieve pi_0', 'settle', 'report', 'intents', 'retrieve pi_old']
test.each([...steps.entries()])(
  'after an abort in step %i (%s) no hook is called',
  async (last) => {
    const controller = new AbortController()
    const { signal } = controller
    const calls: string[] = []
    const log = (step: string): void => {
      calls.push(step)
      if (calls.length > last) controller.abort()
    }
    const retrieve = (id: string, options: CallOptions): Promise<unknown> => {
      if (!signal.aborted) log(`retrieve ${id}`)
      if (!signal.aborted) return Promise.resolve({ ...order, id, status: 'succeeded' })
      // The service does not respond: only the signal ends the call.
      const facts = { code: 'aborted', outcome: 'unknown', retryable: true, requests: [] } as const
      return new Promise(
        (_, reject) => options.signal?.aborted && reject(new AbortedError('', facts)),
      )
    }
    const handle = handlerOf({
      intents: () => {
        log('intents')
        return { retrieve } as never
      },
      settle: () => log('settle'),
    })
    async function* rows() {
      for (const row of openOrders(9)) {
        log('next')
        yield { ...row, oldIntentIds: ['pi_old', 'pi_older'] }
      }
    }
    const options = { concurrency: 1, signal, onReport: () => log('report') }
    expect(await handle.reconcile(rows(), options)).toMatchObject({ error: 0 })
    expect(calls).toEqual(steps.slice(0, last + 1))
  },
)

test('calls an iterator one at a time, and its error does not replace that of a hook', async () => {
  const rows = openOrders(8)
  let running = 0
  const orders: AsyncIterable<OpenOrder> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        expect(++running).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 1))
        running--
        const value = rows.pop()
        return value ? { value } : { done: true, value }
      },
      return: () => Promise.reject(new Error('the cursor is closed')),
    }),
  }
  const retrieve = async (id: string) => ({ ...order, id, status: 'succeeded' })
  const settle = (): Promise<void> => Promise.reject(new Error('database down'))
  const call = handlerOf({ intents: { retrieve } as never, settle }).reconcile(orders)
  await expect(call).rejects.toThrow('database down')
})
