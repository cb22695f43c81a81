import { expect, onTestFinished, test, vi } from 'vitest'
import { type HandoffOrder, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { created, order, retrieved, scriptedService } from '../scripted-service.ts'
import { closed, cookieOf, handlerOf, shop } from './shop.ts'

const session = { session: () => 'session-1' }
const stored = { row: { intentId: 'pi_abc' } }

test.each([
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
  ['brand_new_status', 'unknown'],
])('for an intent that is %s the phase is %s', async (intentStatus, phase) => {
  const service = await scriptedService(retrieved({ status: intentStatus }))
  const settle = vi.fn()
  const { row, status } = shop(service.url, { ...stored, settle })
  const response = await status('A-1001')
  expect(await response.json()).toEqual({ phase })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const final = phase === 'paid' || phase === 'failed'
  const intent = expect.objectContaining({ id: 'pi_abc', status: intentStatus })
  const settlement = { order: row, intent, phase, nextAttempt: phase === 'failed' ? 2 : 1 }
  expect(settle.mock.calls).toEqual(final ? [[settlement]] : [])
})

test.each([{ amount: 1 }, { currency: 'USD' }, { orderId: 'B-2' }])(
  'a paid intent with %j is not paid for this order',
  async (change) => {
    const service = await scriptedService(retrieved({ status: 'succeeded', ...change }))
    const hooks = { settle: vi.fn(), onError: vi.fn() }
    const response = await shop(service.url, { ...stored, ...hooks }).status('A-1001')
    expect(await response.json()).toEqual({ phase: 'unknown' })
    expect(hooks.settle).not.toHaveBeenCalled()
    expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(
      /is paid but does not match order A-1001/,
    )
  },
)

test.each(['succeeded', 'failed'])(
  'status clears the cookie of an intent that is %s, but not of another session or intent',
  async (final) => {
    const service = await scriptedService(created(), retrieved({ status: final }))
    const { handoff, status, row } = shop(service.url, session)
    const cookie = cookieOf(await handoff({}))
    const other = shop(service.url, { row, session: () => 'session-2' })
    expect((await other.status('A-1001', { cookie })).headers.get('set-cookie')).toBeNull()
    const newer = shop(service.url, { ...session, row: { intentId: 'pi_newer' } })
    expect((await newer.status('A-1001', { cookie })).headers.get('set-cookie')).toBeNull()
    expect((await status('A-1001', { cookie })).headers.get('set-cookie')).toBe(
      '__Host-pi-handoff=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    )
  },
)

test('sends no request for a paid order, or the status of one without an intent', async () => {
  const service = await scriptedService(retrieved())
  const paid = shop(service.url, { row: { intentId: 'pi_abc', paid: true } })
  expect(await (await paid.status('A-1001')).json()).toEqual({ phase: 'paid' })
  const problem = { status: 409, code: 'order_already_paid' }
  expect(await (await paid.handoff({})).json()).toMatchObject(problem)
  expect(await (await shop(service.url).status()).json()).toEqual({ phase: 'open' })
  expect(service.requests).toHaveLength(0)
})

test('a settle hook that never returns fails its calls after 30 seconds', async () => {
  const service = fakeService()
  const hooks = { settle: vi.fn().mockReturnValueOnce(new Promise(() => {})), onError: vi.fn() }
  const intents = new PaymentIntents(service.options)
  const { handle, handoff, row, status } = shop(closed, { intents, ...hooks })
  await handoff({})
  service.settle(order.orderId, 'succeeded')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const polls = [status(), status()]
  const controller = new AbortController()
  const { signal } = controller
  const reconciled = handle.reconcile([{ ...row, intentId: String(row.intentId) }], { signal })
  await vi.advanceTimersByTimeAsync(29_000)
  controller.abort()
  expect(await reconciled).toMatchObject({ orders: 0, paid: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  for (const poll of polls) expect((await poll).status).toBe(500)
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(
    /^settle: the hook did not return within 30 seconds\. Set a timeout/,
  )
  expect(await (await status()).json()).toEqual({ phase: 'paid' })
  expect(hooks.settle).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
})

/** A service whose retrieves respond when the test says so. */
async function heldService(status: string) {
  const pending: (() => void)[] = []
  const service = await scriptedService((response, request) => {
    if (request.method === 'POST') return created({ id: 'pi_next' })(response, request)
    pending.push(() => void retrieved({ status })(response, request))
  })
  return { service, pending }
}

test('three concurrent polls and a reconcile settle once, and raise the attempt by one', async () => {
  const { service, pending } = await heldService('failed')
  const calls: number[] = []
  const { handle, row, status } = shop(service.url, {
    row: { intentId: 'pi_first' },
    settle: async ({ nextAttempt }) => {
      calls.push(nextAttempt)
      await new Promise((resolve) => setTimeout(resolve, 10))
      // Even a hook without a condition runs once for calls that overlap.
      Object.assign(row, { intentId: null, attempt: (row.attempt ?? 1) + 1 })
    },
  })
  const polls = [status('A-1001'), status('A-1001'), status('A-1001')]
  const reconciled = handle.reconcile([{ ...order, intentId: 'pi_first' }])
  await expect.poll(() => pending.length).toBe(4)
  for (const respond of pending) respond()
  const phases = await Promise.all(polls.map(async (poll) => (await poll).json()))
  expect(phases).toEqual(Array.from({ length: 3 }, () => ({ phase: 'failed' })))
  expect(await reconciled).toMatchObject({ orders: 1, failed: 1 })
  expect([calls, row.attempt]).toEqual([[2], 2])
})

test('each call after a settlement that ended runs settle again', async () => {
  const { service, pending } = await heldService('succeeded')
  const settle = vi.fn().mockRejectedValueOnce(new Error('database down'))
  const { status } = shop(service.url, { ...stored, settle })
  // The second call joins no settlement that has failed, although both overlap.
  const polls = [status(), status(), status()]
  await expect.poll(() => pending.length).toBe(3)
  const results: number[] = []
  for (const [index, poll] of polls.entries()) {
    pending[index]?.()
    results.push((await poll).status)
  }
  expect([results, settle.mock.calls.length]).toEqual([[500, 200, 200], 2])
  const last = status()
  await expect.poll(() => pending.length).toBe(4)
  pending[3]?.()
  await last
  expect(settle).toHaveBeenCalledTimes(3)
})

test.each<[string, object, object]>([
  ['two merchants with the same ids', { merchant: 'a' }, { merchant: 'b' }],
  ['two orders of clients without tenant', { orderId: 'A-1' }, { orderId: 'B-2' }],
])('settles %s separately', async (_, ...rows) => {
  const settled: object[] = []
  const clientOf = (row: HandoffOrder & { readonly merchant?: string }) => ({
    retrieve: async (id: string) => ({ ...row, id, status: 'succeeded' }),
    ...(row.merchant && { tenant: async () => row.merchant }),
  })
  const handle = handlerOf({
    intents: ({ order }) => clientOf(order) as never,
    settle: async ({ order }) => {
      settled.push(order)
      await new Promise((resolve) => setTimeout(resolve, 10))
    },
  })
  const orders = rows.map((row) => ({ ...order, intentId: 'pi_1', ...row }))
  expect(await handle.reconcile(orders)).toMatchObject({ orders: 2, paid: 2 })
  expect(settled).toEqual(orders)
})

test('a delayed poll does not raise the attempt again after the next handoff', async () => {
  const { service, pending } = await heldService('failed')
  const { handoff, row, status } = shop(service.url, { row: { intentId: 'pi_first' } })
  const other = shop(service.url, {
    order: () => ({ ...order, intentId: 'pi_first' }), // Another process read the order earlier.
    settle: ({ intent, nextAttempt }) => {
      if (row.intentId === intent.id) Object.assign(row, { intentId: null, attempt: nextAttempt })
    },
  })
  const polls = [status('A-1001'), other.status('A-1001')]
  await expect.poll(() => pending.length).toBe(2)
  pending[0]?.()
  await Promise.race(polls)
  expect(row).toMatchObject({ attempt: 2, intentId: null })
  await handoff({})
  pending[1]?.()
  await Promise.all(polls)
  expect(row).toMatchObject({ attempt: 2, intentId: 'pi_next' })
})
