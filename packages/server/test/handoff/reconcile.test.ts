import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError, PaymentIntents, reconcile, type Verdict, verify } from '../../src/index.ts'
import { fakeTime } from '../../src/testing/fake-service.ts'
import { apiKey, order, problem, reset, retrieved, scriptedService } from '../scripted-service.ts'

const expected = { id: 'pi_1', ...order }
const intent = { ...expected, status: 'succeeded' }

test('only the very intent with the very money is paid (threat 43)', () => {
  expect(verify(intent, expected)).toBe('paid')
  expect(verify(intent, { ...expected, currency: 'amd' })).toBe('paid')
  expect(verify(intent, { ...expected, id: 'pi_2' })).toBe('mismatch')
  expect(verify(intent, { ...expected, orderId: 'B-2' })).toBe('mismatch')
  expect(verify(intent, { ...expected, amount: 150001 })).toBe('mismatch')
  expect(verify(intent, { ...expected, currency: 'USD' })).toBe('mismatch')
})

const verdicts: [string, Verdict][] = [
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
  ['constructor', 'unknown'],
  ['PAID', 'unknown'],
]
for (const [status, verdict] of verdicts) {
  test(`the status ${status} means ${verdict}`, () => {
    expect(verify({ ...intent, status }, expected)).toBe(verdict)
  })
}

function openOrders(
  count: number,
): { orderId: string; amount: number; currency: string; intentId: string }[] {
  return Array.from({ length: count }, (_, at) => ({ ...order, intentId: `pi_${at}` }))
}

test('reconcile settles every open order and counts the verdicts', async () => {
  const service = await scriptedService((response, request) => {
    const paid = Number(request.url.split('_').at(-1)) % 2 === 0
    return retrieved({ status: paid ? 'succeeded' : 'processing' })(response, request)
  })
  const paid: string[] = []
  async function* rows() {
    yield* openOrders(10)
  }
  const summary = await reconcile(rows(), {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    onVerdict: ({ order: { intentId }, verdict }) => {
      if (verdict === 'paid') paid.push(intentId)
    },
  })
  expect(summary).toMatchObject({ orders: 10, paid: 5, processing: 5, alerts: 0, errors: 0 })
  expect(paid.sort()).toEqual(['pi_0', 'pi_2', 'pi_4', 'pi_6', 'pi_8'])
})

test('reconcile asks about no more orders at once than it may, and reads no further ahead', async () => {
  let running = 0
  let most = 0
  let read = 0
  const intents = {
    retrieve: async (id: string) => {
      most = Math.max(most, ++running)
      expect(read).toBeLessThanOrEqual(Number(id.slice(3)) + 4)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return { ...intent, id } as never
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

test('a payment with another amount is a named alert, never a silent paid', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded', amount: 1 }))
  const reports: unknown[] = []
  const summary = await reconcile(openOrders(1), {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    onVerdict: (report) => void reports.push(report),
  })
  expect(reports).toMatchObject([
    { verdict: 'mismatch', alert: 'paid_with_mismatch', alerted: { id: 'pi_0' } },
  ])
  expect(summary).toMatchObject({ mismatch: 1, paid: 0, alerts: 1 })
})

test("a payment on an order's old intent is a named alert, never a silent paid", async () => {
  const service = await scriptedService((response, request) => {
    const old = request.url.endsWith('pi_old')
    return retrieved({ status: old ? 'succeeded' : 'requires_payment_method' })(response, request)
  })
  const reports: unknown[] = []
  await reconcile(
    [{ ...order, intentId: 'pi_new', oldIntentIds: ['pi_older', 'pi_old', 'pi_new'] }],
    {
      intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
      onVerdict: (report) => void reports.push(report),
    },
  )
  expect(reports).toMatchObject([
    {
      verdict: 'open',
      alert: 'paid_on_old_intent',
      alerted: { id: 'pi_old' },
      intent: { id: 'pi_new' },
    },
  ])
})

test('an order that cannot be asked about is unknown, and the others are settled', async () => {
  const service = await scriptedService((response, request) =>
    request.url.endsWith('pi_1')
      ? reset(response, request)
      : retrieved({ status: 'succeeded' })(response, request),
  )
  const seen = new Map<string, Verdict>()
  const summary = await reconcile(openOrders(3), {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() }),
    onVerdict: ({ order: { intentId }, verdict, error }) => {
      seen.set(intentId, verdict)
      expect(error === undefined).toBe(intentId !== 'pi_1')
    },
  })
  expect(Object.fromEntries(seen)).toEqual({ pi_0: 'paid', pi_1: 'unknown', pi_2: 'paid' })
  expect(summary).toMatchObject({ paid: 2, unknown: 1, errors: 1 })
})

test('a paid intent is reported as paid even if an old id of its order fails', async () => {
  const service = await scriptedService((response, request) =>
    request.url.endsWith('pi_gone')
      ? problem(404, 'payment_intent_not_found')(response, request)
      : retrieved({ status: 'succeeded' })(response, request),
  )
  const reports: unknown[] = []
  const summary = await reconcile(
    [{ ...order, intentId: 'pi_now', oldIntentIds: ['pi_gone', ''] }],
    {
      intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
      onVerdict: (report) => void reports.push(report),
    },
  )
  expect(reports).toMatchObject([
    {
      verdict: 'paid',
      intent: { id: 'pi_now' },
      alert: undefined,
      error: { code: 'payment_intent_not_found' },
    },
  ])
  expect(summary).toMatchObject({ paid: 1, unknown: 0, errors: 1 })
})

test('a payment on an old intent is reported even if every other id fails', async () => {
  const service = await scriptedService((response, request) =>
    request.url.endsWith('pi_paid')
      ? retrieved({ status: 'succeeded' })(response, request)
      : problem(404, 'payment_intent_not_found')(response, request),
  )
  const reports: unknown[] = []
  await reconcile([{ ...order, intentId: 'pi_gone', oldIntentIds: ['pi_lost', 'pi_paid'] }], {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    onVerdict: (report) => void reports.push(report),
  })
  expect(reports).toMatchObject([
    {
      verdict: 'unknown',
      intent: undefined,
      alert: 'paid_on_old_intent',
      alerted: { id: 'pi_paid' },
      error: { code: 'payment_intent_not_found' },
    },
  ])
})

const badRows: [string, object | null | undefined][] = [
  ['an empty intentId', { ...order, intentId: '' }],
  ['an intentId that is null', { ...order, intentId: null }],
  ['an intentId with a path', { ...order, intentId: '../x' }],
  ['no amount', { ...order, intentId: 'pi_bad', amount: undefined }],
  ['a currency that is null', { ...order, intentId: 'pi_bad', currency: null }],
  ['no orderId', { ...order, intentId: 'pi_bad', orderId: undefined }],
  ['old ids that are no list', { ...order, intentId: 'pi_bad', oldIntentIds: 7 }],
  ['nothing', undefined],
  ['null', null],
]
for (const [what, row] of badRows) {
  test(`a row with ${what} is unknown with its TypeError, and the others are settled`, async () => {
    const service = await scriptedService(retrieved({ status: 'succeeded' }))
    const bad: unknown[] = []
    const [first, last] = openOrders(2)
    const summary = await reconcile([first, row, last] as never[], {
      intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
      onVerdict: ({ order, verdict, error }) => {
        if (verdict !== 'paid') bad.push([order, verdict, error])
      },
    })
    expect(bad).toEqual([[row, 'unknown', expect.any(TypeError)]])
    expect(summary).toMatchObject({ orders: 3, paid: 2, unknown: 1, errors: 1 })
  })
}

test('a missing variable ends the run instead of failing every row', async () => {
  vi.stubEnv('PI_API_KEY', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const run = reconcile(openOrders(3), {
    intents: new PaymentIntents({ baseUrl: 'http://127.0.0.1:1' }),
    onVerdict: () => expect.fail('a verdict was given'),
  })
  await expect(run).rejects.toThrow(/^PI_API_KEY: environment variable is not set/)
})

test('a key that the service does not take ends the run instead of failing every order', async () => {
  const service = await scriptedService(problem(401, 'invalid_credentials'))
  let closed = false
  async function* rows() {
    try {
      yield* openOrders(100)
    } finally {
      closed = true
    }
  }
  const run = reconcile(rows(), {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    concurrency: 2,
    onVerdict: () => {},
  })
  await expect(run).rejects.toBeInstanceOf(ApiError)
  expect(service.requests.length).toBeLessThanOrEqual(2)
  expect(closed).toBe(true)
})

test('a run that stopped half way is begun again and settles the rest, two at once do no harm', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const open = new Map(openOrders(20).map((row) => [row.intentId, row]))
  const settled: string[] = []
  const onVerdict = ({ order: { intentId } }: { order: { intentId: string } }): void => {
    if (open.delete(intentId)) settled.push(intentId)
    if (settled.length === 7) throw new Error('killed')
  }
  const run = (): Promise<unknown> => reconcile([...open.values()], { intents, onVerdict })
  await expect(run()).rejects.toThrow('killed')
  await Promise.all([run().catch(() => {}), run().catch(() => {})])
  await run()
  expect(settled).toHaveLength(20)
  expect(new Set(settled).size).toBe(20)
})

test('an abort ends the run after the orders under way', async () => {
  const service = await scriptedService(retrieved())
  const controller = new AbortController()
  const summary = await reconcile(openOrders(50), {
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    concurrency: 1,
    signal: controller.signal,
    onVerdict: () => controller.abort(),
  })
  expect(summary.orders).toBe(1)
})
