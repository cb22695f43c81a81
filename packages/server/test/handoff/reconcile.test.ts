import { expect, onTestFinished, test, vi } from 'vitest'
import {
  ApiError,
  PaymentIntents,
  type ReconcileReport,
  type ReconcileSummary,
  reconcile,
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

interface Row {
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  readonly intentId: string
  readonly oldIntentIds?: readonly string[]
}

function openOrders(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({ ...order, intentId: `pi_${index}` }))
}

/** Responds with the step of the intent's id, or with a paid intent. */
function byId(steps: Readonly<Record<string, Step>>): Step {
  return (response, request) => {
    const step = steps[request.url.split('/').at(-1) ?? ''] ?? retrieved({ status: 'succeeded' })
    return step(response, request)
  }
}

/** Runs with a service, and returns the reports by intent. */
async function run(
  rows: Iterable<Row> | AsyncIterable<Row>,
  step: Step,
): Promise<{ readonly reports: ReconcileReport<Row>[]; readonly summary: ReconcileSummary }> {
  const { intents } = await clientOf([step], fakeTime())
  const reports: ReconcileReport<Row>[] = []
  const onVerdict = (report: ReconcileReport<Row>) => void reports.push(report)
  return { reports, summary: await reconcile(rows, { intents, onVerdict }) }
}

const notFound = problem(404, 'payment_intent_not_found')

test('reports every open order and counts the verdicts', async () => {
  async function* rows() {
    yield* openOrders(4)
  }
  const processing = retrieved({ status: 'processing' })
  const { reports, summary } = await run(rows(), byId({ pi_1: processing, pi_3: processing }))
  expect(summary).toMatchObject({ orders: 4, paid: 2, processing: 2, alerts: 0, errors: 0 })
  const paid = reports.filter(({ verdict }) => verdict === 'paid')
  expect(paid.map(({ order: { intentId } }) => intentId).sort()).toEqual(['pi_0', 'pi_2'])
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
  await reconcile(rows(), { intents, concurrency: 3, onVerdict: () => {} })
  expect(most).toBe(3)
})

const open = retrieved({ status: 'requires_payment_method' })
test.each<[string, Row, Step, object]>([
  [
    'a payment with another amount',
    { ...order, intentId: 'pi_0' },
    retrieved({ status: 'succeeded', amount: 1 }),
    { verdict: 'mismatch', alert: 'paid_with_mismatch', alerted: { id: 'pi_0' } },
  ],
  [
    'a payment on an old intent',
    { ...order, intentId: 'pi_new', oldIntentIds: ['pi_older', 'pi_old', 'pi_new'] },
    byId({ pi_new: open, pi_older: open }),
    {
      verdict: 'open',
      alert: 'paid_on_old_intent',
      alerted: { id: 'pi_old' },
      intent: { id: 'pi_new' },
    },
  ],
  [
    'a payment on an old intent, although every other id fails',
    { ...order, intentId: 'pi_gone', oldIntentIds: ['pi_lost', 'pi_paid'] },
    byId({ pi_gone: notFound, pi_lost: notFound }),
    {
      ...{ verdict: 'unknown', intent: undefined, alert: 'paid_on_old_intent' },
      ...{ alerted: { id: 'pi_paid' }, error: { code: 'payment_intent_not_found' } },
    },
  ],
  [
    'a paid intent, although an old id fails',
    { ...order, intentId: 'pi_now', oldIntentIds: ['pi_gone', ''] },
    byId({ pi_gone: notFound }),
    {
      ...{ verdict: 'paid', intent: { id: 'pi_now' }, alert: undefined },
      error: { code: 'payment_intent_not_found' },
    },
  ],
])('reports %s', async (_, row, step, report) => {
  const { reports, summary } = await run([row], step)
  expect(reports).toMatchObject([report])
  expect(summary.alerts).toBe('alerted' in report ? 1 : 0)
  expect(summary.errors).toBe('error' in report ? 1 : 0)
})

test('an order that cannot be retrieved is unknown, and the others are settled', async () => {
  const { reports, summary } = await run(openOrders(3), byId({ pi_1: reset }))
  const verdicts = reports.map(({ order: { intentId }, verdict, error }) => {
    expect(error === undefined).toBe(intentId !== 'pi_1')
    return [intentId, verdict]
  })
  expect(Object.fromEntries(verdicts)).toEqual({ pi_0: 'paid', pi_1: 'unknown', pi_2: 'paid' })
  expect(summary).toMatchObject({ paid: 2, unknown: 1, errors: 1 })
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
])('a row with %s is unknown with a TypeError, and the others are settled', async (_, row) => {
  const [first, last] = openOrders(2)
  const { reports, summary } = await run([first, row, last] as Row[], byId({}))
  const bad = reports.filter(({ verdict }) => verdict !== 'paid')
  expect(bad).toMatchObject([{ order: row, verdict: 'unknown', error: expect.any(TypeError) }])
  expect(summary).toMatchObject({ orders: 3, paid: 2, unknown: 1, errors: 1 })
})

test('a missing variable ends the run instead of failing every row', async () => {
  vi.stubEnv('PI_API_KEY', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const intents = new PaymentIntents({ baseUrl: 'http://127.0.0.1:1' })
  const onVerdict = () => expect.fail('a verdict was reported')
  await expect(reconcile(openOrders(3), { intents, onVerdict })).rejects.toThrow(/^PI_API_KEY: /)
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
  const call = reconcile(rows(), { intents, concurrency: 2, onVerdict: () => {} })
  await expect(call).rejects.toBeInstanceOf(ApiError)
  expect(service.requests.length).toBeLessThanOrEqual(2)
  expect(closed).toBe(true)
})

test('a run that stopped can start again, also concurrently', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const unsettled = new Map(openOrders(20).map((row) => [row.intentId, row]))
  const settled: string[] = []
  const onVerdict = ({ order: { intentId } }: { order: { intentId: string } }): void => {
    if (unsettled.delete(intentId)) settled.push(intentId)
    if (settled.length === 7) throw new Error('killed')
  }
  const start = (): Promise<unknown> => reconcile([...unsettled.values()], { intents, onVerdict })
  await expect(start()).rejects.toThrow('killed')
  await Promise.all([start().catch(() => {}), start().catch(() => {})])
  await start()
  expect(settled).toHaveLength(20)
  expect(new Set(settled).size).toBe(20)
})

test('an abort ends the run after the orders in progress', async () => {
  const { intents } = await clientOf([retrieved()])
  const controller = new AbortController()
  const summary = await reconcile(openOrders(50), {
    intents,
    concurrency: 1,
    signal: controller.signal,
    onVerdict: () => controller.abort(),
  })
  expect(summary.orders).toBe(1)
})
