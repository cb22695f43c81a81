import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { staffPassword, startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

const login = (password = staffPassword, user = 'staff') => ({
  authorization: `Basic ${btoa(`${user}:${password}`)}`,
})

test.each([
  ['accepted', 'paid'],
  ['refunded', 'closed'],
])('the staff decides about a late payment for a closed order: %s', async (decision, state) => {
  const { buyer, orderId, id } = await latePayment()
  const staff = await shop.buyer()
  const list = async (): Promise<string> =>
    await (await staff.send('/staff', { headers: login() })).text()
  expect(await list()).toContain(`value="${id}"`)
  const form = { orderId, intentId: id, decision }
  const decide = () => staff.send('/staff', { method: 'POST', form, headers: login() })
  expect((await decide()).headers.get('location')).toBe('/staff')
  expect((await buyer.order(orderId)).state).toBe(state)
  expect(await list()).not.toContain(id)
  // Pressed again, in another tab.
  expect((await decide()).status).toBe(303)
  expect((await buyer.order(orderId)).state).toBe(state)
})

test('lists a payment as soon as the page of its order shows it', async () => {
  const { buyer, orderId, id } = await shop.handedOff()
  await buyer.editCart(orderId)
  shop.service.settle(id, 'succeeded')
  expect((await buyer.order(orderId)).state).toBe('review')
  const staff = await shop.buyer()
  const list = await staff.send('/staff', { headers: login() })
  expect(await list.text()).toContain(`value="${id}"`)
  const form = { orderId, intentId: id, decision: 'refunded' }
  await staff.send('/staff', { method: 'POST', form, headers: login() })
})

test('a buyer cannot decide about the refund of their own payment', async () => {
  const { buyer, orderId, id } = await latePayment()
  for (const decision of ['accepted', 'refunded']) {
    const form = { orderId, intentId: id, decision }
    expect((await buyer.send('/staff', { method: 'POST', form })).status).toBe(401)
  }
  expect((await buyer.order(orderId)).state).toBe('review')
})

test('asks for the password, and limits wrong ones', async () => {
  const buyer = await shop.buyer()
  const asked = await buyer.send('/staff')
  expect(asked.status).toBe(401)
  expect(await asked.text()).toContain('npm start prints user and password.')
  expect(asked.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
  const statusFor = async (headers: Record<string, string>): Promise<number> =>
    (await buyer.send('/staff', { headers })).status
  for (const wrong of [login(''), login('x'.repeat(1000)), login(staffPassword, 'root')]) {
    expect(await statusFor(wrong)).toBe(401)
  }
  expect(await statusFor({ authorization: `Bearer ${staffPassword}` })).toBe(401)
  expect(await statusFor(login())).toBe(200)
  const statuses = new Set<number>()
  for (let call = 1; call <= 11; call++) statuses.add(await statusFor(login('guess')))
  expect(statuses).toEqual(new Set([401, 429]))
  expect(await statusFor(login())).toBe(429)
})

/** A payment that arrives after the buyer has edited the cart. */
async function latePayment() {
  const handedOff = await shop.handedOff()
  await handedOff.buyer.editCart(handedOff.orderId)
  shop.service.settle(handedOff.id, 'succeeded')
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await shop.settle()
  expect(log.mock.calls).toEqual([[expect.stringContaining('"review a payment"')]])
  log.mockRestore()
  expect((await handedOff.buyer.order(handedOff.orderId)).state).toBe('review')
  return handedOff
}
