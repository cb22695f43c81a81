import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test } from 'vitest'
import { sql } from '../../src/store/sql.ts'
import { answer, enter, shop, startCheckout, submit, tokenIn } from '../support/checkout.ts'

const page = `${shop}/orders/A-1001?step=pay`
const checkout = await startCheckout()
await checkout.registerOrigin(shop)

/** Returns a page whose intent has an open challenge. */
async function challenged(number = '4000000000003220'): Promise<HostedPage> {
  const client = new HostedPage(checkout)
  await client.open(await checkout.createIntent())
  await client.pay(number)
  return client
}

/** Opens the challenge of a page and its code form. */
async function entered(page: HostedPage | Promise<HostedPage> = challenged()) {
  const client = await page
  const ticket = await client.openChallenge()
  return { client, ticket, token: await enter(ticket) }
}

const over = 'no longer open'

test('accepts another card after a cancel at the bank or at the checkout', async () => {
  const [atBank, atCheckout] = [await challenged(), await challenged()]
  const { ticket, token } = await entered(atBank)
  await submit(`${ticket.url}/answer`, { token, action: 'cancel' })
  await atCheckout.post('challenge/cancel', {})
  for (const client of [atBank, atCheckout]) {
    expect(await client.view()).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentFailure: { declineCode: 'authentication_canceled' },
    })
  }
})

test('opens one page once with the newest token of its challenge', async () => {
  const client = await challenged()
  const older = await client.openChallenge()
  const { ticket, token } = await entered(client)
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
  const { client, ticket, token } = await entered()
  await answer(ticket, token, '0000')
  await client.pay('4000000000003220')
  expect(await (await answer(ticket, token, '1234')).text()).toContain(over)
  expect((await client.view()).status).toBe('requires_action')
})

test.each([
  ['its clientSecret is revoked', 'update intents set revoked_at = created_at', 'canceled'],
  [
    'its origin is removed',
    `update environments set allowed_origins = '[]' where id = 'env_test'`,
    'requires_action',
  ],
] as const)('accepts no token of a challenge after %s', async (_, revoke, status) => {
  const { ticket, token } = await entered(await challenged())
  const unused = await (await challenged()).openChallenge()
  await checkout.db.script(revoke)
  const late = [
    await answer(ticket, token, '1234'),
    await submit(unused.url, { token: unused.token }),
  ]
  for (const response of late) expect(await response.text()).toContain(over)
  const newest = await checkout.db.query(sql`
    select status from intents order by created_at desc limit 2`)
  expect(newest).toEqual(Array(2).fill({ status }))
  await checkout.registerOrigin(shop)
})

test('lets only the checkout and the shop frame a challenge and its end, and receive its form', async () => {
  const client = await challenged()
  const older = await client.openChallenge()
  const { url, token } = await client.openChallenge()
  const known = `frame-ancestors ${checkout.url} ${shop};`
  const unknown = `frame-ancestors ${checkout.url};`
  for (const [sent, framed, shown] of [
    [token, known, `form-action 'self' ${checkout.url} ${shop};`],
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
  expect(ticket.url).toBe(`${checkout.challengeUrl}/bank`)
  const asked = await submit(ticket.url, { token: ticket.token })
  expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(asked.headers.get('x-frame-options')).toBe('DENY')
  const back = await answer(ticket, tokenIn(await asked.text()), '1234')
  expect([back.status, back.headers.get('location')]).toEqual([303, page])
  expect((await client.view()).status).toBe('succeeded')
})

test('returns the buyer of a full page to it', async () => {
  const client = await challenged('4000002760003184')
  const query = `?return=${encodeURIComponent(page)}&locale=hy`
  const ticket = await client.openChallenge({ returnUrl: query })
  const asked = await submit(ticket.url, { token: ticket.token })
  const back = await answer(ticket, tokenIn(await asked.text()), '0000')
  const { id } = await client.view()
  expect(back.headers.get('location')).toBe(`${checkout.url}/checkout/${id}/page${query}`)
})

test('escapes the merchant’s name and form fields', async () => {
  await checkout.registerOrigin(shop, 'env_other')
  await checkout.db.query(sql`
    update merchants set name = ${'<img src=x onerror=alert(1)> "Books"'} where id = 'mer_books'`)
  const client = new HostedPage(checkout)
  await client.open(await checkout.createIntent({ environmentId: 'env_other' }))
  await client.pay('4000000000003220')
  const { url, token } = await client.openChallenge()
  const html = await (await submit(url, { token, locale: '"><script>' })).text()
  expect(html).not.toContain('<img')
  expect(html).not.toContain('<script>')
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;')
})
