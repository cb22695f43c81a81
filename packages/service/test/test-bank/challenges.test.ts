import type { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test } from 'vitest'
import { answer, challenge, enter, submit, tokenIn } from '../support/bank.ts'
import { startTestService } from '../support/service.ts'

const shop = 'http://localhost:3000'
const page = `${shop}/orders/A-1001?step=pay`
const service = await startTestService()

async function challenged(number = '4000000000003220'): Promise<HostedPage> {
  const client = await service.openPage()
  await client.pay(number)
  return client
}

const over = 'no longer open'

test('opens one page once with the newest token of its challenge', async () => {
  const client = await challenged()
  const older = await client.openChallenge()
  const ticket = await client.openChallenge()
  const token = await enter(ticket)
  const full = await (await challenged('4000002760003184')).openChallenge({ returnUrl: page })
  const wrong = [ticket.token, older.token, full.token, token, '', 'x'.repeat(43)]
  for (const each of wrong) {
    const html = await (await submit(ticket.url, { token: each })).text()
    expect(html).toContain(over)
    expect(html).not.toContain('<form')
  }
  // Using wrong tokens does not use up the right one.
  await answer(ticket, token, '1234')
  expect((await client.view()).status).toBe('succeeded')
})

test('ignores the token of an earlier confirmation', async () => {
  const { page: client, ticket, token } = await challenge(await service.openPage())
  await answer(ticket, token, '0000')
  await client.pay('4000000000003220')
  expect(await (await answer(ticket, token, '1234')).text()).toContain(over)
  expect((await client.view()).status).toBe('requires_action')
})

test.each([
  ['its clientSecret is revoked', 'canceled', service.revokeSecret],
  ['its origin is removed', 'requires_action', () => service.changeOrigin('remove', shop)],
] as const)('accepts no token of a challenge after %s', async (_, status, revoke) => {
  const [entered, other] = [await challenge(await service.openPage()), await challenged()]
  const unused = await other.openChallenge()
  const ids = [(await entered.page.view()).id, (await other.view()).id]
  for (const id of ids) await revoke(id).catch(() => {})
  const late = await answer(entered.ticket, entered.token, '1234')
  for (const response of [late, await submit(unused.url, { token: unused.token })]) {
    expect(await response.text()).toContain(over)
  }
  for (const id of ids) expect(await service.statusOf(id)).toBe(status)
  await service.changeOrigin('add', shop)
})

test('lets only the checkout and the shop frame a challenge and its end, and receive its form', async () => {
  const client = await challenged()
  const older = await client.openChallenge()
  const { url, token } = await client.openChallenge()
  const known = `frame-ancestors ${service.url} ${shop};`
  const unknown = `frame-ancestors ${service.url};`
  for (const [sent, framed, shown] of [
    [token, known, `form-action 'self' ${service.url} ${shop};`],
    [token, known, over],
    [older.token, known, over],
    ['', unknown, over],
    ['x'.repeat(43), unknown, over],
  ] as const) {
    const response = await submit(url, { token: sent })
    const policy = `${response.headers.get('content-security-policy')};`
    expect(policy).toContain(framed)
    expect(policy + (await response.text())).toContain(shown)
  }
})

test('shows a full-page challenge in no frame and returns the buyer by GET', async () => {
  const client = await challenged('4000002760003184')
  const ticket = await client.openChallenge({ returnUrl: page })
  expect(ticket.url).toMatch(/\/bank$/)
  const asked = await submit(ticket.url, { token: ticket.token })
  expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(asked.headers.get('x-frame-options')).toBe('DENY')
  const back = await answer(ticket, tokenIn(await asked.text()), '1234')
  expect([back.status, back.headers.get('location')]).toEqual([303, page])
  expect((await client.view()).status).toBe('succeeded')
})

test('escapes the merchant’s name and form fields', async () => {
  const merchant = '<img src=x onerror=alert(1)> "Books"'
  const other = await service.newKey(merchant)
  await service.changeOrigin('add', shop, { merchant })
  const client = await other.openPage()
  await client.pay('4000000000003220')
  const { url, token } = await client.openChallenge()
  const html = await (await submit(url, { token, locale: '"><script>' })).text()
  expect(html).not.toContain('<img')
  expect(html).not.toContain('<script>')
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;')
})
