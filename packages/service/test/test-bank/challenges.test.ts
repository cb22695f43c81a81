import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChallengeTicket, CheckoutView } from '../../shared/checkout-api.ts'
import { reap } from '../../src/intents/reaper.ts'
import { PageClient, type RunningCheckout, startCheckout } from '../support/checkout.ts'

const shop = 'http://shop.example.localhost:3000'
const page = `${shop}/orders/A-1001?step=pay`
let checkout: RunningCheckout

beforeAll(async () => {
  checkout = await startCheckout()
  await checkout.registerOrigin(shop)
})
afterAll(async () => await checkout.close())

async function challenged(number = '4000000000003220'): Promise<PageClient> {
  const client = new PageClient(checkout)
  await client.open(await checkout.createIntent(), shop)
  await client.pay(number)
  return client
}

async function ticketOf(client: PageClient, body = {}): Promise<ChallengeTicket> {
  return (await (await client.post('challenge/open', body)).json()) as ChallengeTicket
}

/** Posts a form as a browser does from a page with `no-referrer`. */
async function submit(url: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { origin: 'null' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

/** Opens the code form and returns its one-time token. */
async function enter({ url, token }: ChallengeTicket): Promise<string> {
  return tokenIn(await (await submit(url, { token, locale: 'en' })).text())
}

function tokenIn(html: string): string {
  return /name="token" value="([\w-]{43})"/.exec(html)?.[1] ?? ''
}

test('the view names the page of the bank and no token', async () => {
  const client = await challenged()
  const { nextAction } = await client.view()
  expect(nextAction).toEqual({
    type: 'challenge',
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    url: `${checkout.challengeUrl}/challenge`,
  })
})

test('the right code pays, and tells the service without the hosted page', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  const token = await enter(ticket)
  const done = await submit(`${ticket.url}/answer`, { token, code: '1234', action: 'confirm' })
  expect(done.status).toBe(200)
  expect(await done.text()).toContain('data-done')
  expect(await client.view()).toMatchObject({ status: 'succeeded', nextAction: null })
})

for (const [code, declineCode] of [
  ['0000', 'authentication_denied'],
  ['9999', 'authentication_unavailable'],
] as const) {
  test(`the code ${code} brings the card form back: ${declineCode}`, async () => {
    const client = await challenged()
    const ticket = await ticketOf(client)
    await submit(`${ticket.url}/answer`, { token: await enter(ticket), code, action: 'confirm' })
    expect(await client.view()).toMatchObject({
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: { code: 'authentication_failed', declineCode, retryable: true },
    })
    expect(await (await client.pay('4242424242424242')).json()).toMatchObject({
      status: 'succeeded',
    })
  })
}

test('a third wrong code denies the payment; the two before it ask again', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  let token = await enter(ticket)
  for (const words of ['Try again', 'One try is left']) {
    const again = await submit(`${ticket.url}/answer`, { token, code: '1111', action: 'confirm' })
    const html = await again.text()
    expect(html).toContain(words)
    token = tokenIn(html)
  }
  await submit(`${ticket.url}/answer`, { token, code: '1111', action: 'confirm' })
  expect(await client.view()).toMatchObject({
    lastPaymentFailure: { declineCode: 'authentication_denied' },
  })
})

test('opening the challenge again gives no further tries', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  await submit(`${ticket.url}/answer`, { token: await enter(ticket), code: '1', action: 'confirm' })
  const again = await ticketOf(client)
  const token = await enter(again)
  const html = await (
    await submit(`${again.url}/answer`, { token, code: '2', action: 'confirm' })
  ).text()
  expect(html).toContain('One try is left')
})

for (const [number, failure] of [
  ['4000008400001629', { code: 'card_declined', declineCode: 'generic_decline' }],
  ['4000008260003178', { code: 'card_declined', declineCode: 'insufficient_funds' }],
  ['4000008400001280', { code: 'authentication_unavailable' }],
] as const) {
  test(`after the right code the card that ends in ${number.slice(-4)} is declined`, async () => {
    const client = await challenged(number)
    const ticket = await ticketOf(client)
    await submit(`${ticket.url}/answer`, {
      token: await enter(ticket),
      code: '1234',
      action: 'confirm',
    })
    expect(await client.view()).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentFailure: failure,
    })
  })
}

test('Cancel at the bank and Use another card at the checkout bring the card form back', async () => {
  const atBank = await challenged()
  const ticket = await ticketOf(atBank)
  await submit(`${ticket.url}/answer`, { token: await enter(ticket), action: 'cancel' })
  const atCheckout = await challenged()
  await atCheckout.post('challenge/cancel', {})
  for (const client of [atBank, atCheckout]) {
    expect(await client.view()).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentFailure: { declineCode: 'authentication_canceled' },
    })
  }
})

test('a token opens one page once: replayed, older, foreign and made-up ones open none (threat 62)', async () => {
  const client = await challenged()
  const older = await ticketOf(client)
  const ticket = await ticketOf(client)
  const other = await ticketOf(await challenged('4000002760003184'), { returnUrl: page })
  const answer = await enter(ticket)
  for (const token of [ticket.token, older.token, other.token, answer, '', 'x'.repeat(43)]) {
    const html = await (await submit(ticket.url, { token })).text()
    expect(html).toContain('no longer open')
    expect(html).not.toContain('<form')
  }
  // Spending foreign tokens has not spent the right one.
  await submit(`${ticket.url}/answer`, { token: answer, code: '1234', action: 'confirm' })
  expect((await client.view()).status).toBe('succeeded')
})

test('Back and a second press after the answer change nothing', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  const token = await enter(ticket)
  await submit(`${ticket.url}/answer`, { token, code: '0000', action: 'confirm' })
  await client.pay('4000000000003220')
  const again = await submit(`${ticket.url}/answer`, { token, code: '1234', action: 'confirm' })
  expect(await again.text()).toContain('no longer open')
  expect((await client.view()).status).toBe('requires_action')
})

test('two answers at once count once', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  const token = await enter(ticket)
  const fields = { token, code: '1234', action: 'confirm' }
  const pages = await Promise.all(
    Array.from(
      { length: 8 },
      async () => await (await submit(`${ticket.url}/answer`, fields)).text(),
    ),
  )
  expect(pages.filter((html) => html.includes('Thank you'))).toHaveLength(1)
  expect((await client.view()).version).toBe(4)
})

test('expires a challenge after ten minutes', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  const token = await enter(ticket)
  checkout.advance(10 * 60_000 + 1000)
  const late = await submit(`${ticket.url}/answer`, { token, code: '1234', action: 'confirm' })
  expect(await late.text()).toContain('no longer open')
  expect(await client.view()).toMatchObject({
    lastPaymentFailure: { declineCode: 'authentication_timed_out' },
  })
})

test('a challenge is opened twenty times in a row and no more often; a minute later again', async () => {
  const client = await challenged()
  for (let count = 0; count < 20; count++) expect(await ticketOf(client)).toHaveProperty('token')
  const refused = await client.post('challenge/open', {})
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', retryable: true })
  expect(await ticketOf(await challenged())).toHaveProperty('token')
  checkout.advance(60_000)
  expect(await ticketOf(client)).toHaveProperty('token')
})

for (const [revocation, revoke] of [
  ['the clientSecret was revoked', `update payment_intents set secret_salt = null`],
  [
    'the origin was removed',
    `update environments set allowed_origins = '{}' where id = 'env_test'`,
  ],
] as const) {
  test(`accepts no token of a challenge after ${revocation}`, async () => {
    const entered = await challenged()
    const ticket = await ticketOf(entered)
    const token = await enter(ticket)
    const unused = await ticketOf(await challenged())
    await checkout.db.script(revoke)
    const answer = { token, code: '1234', action: 'confirm' }
    const late = [await submit(`${ticket.url}/answer`, answer)]
    late.push(await submit(unused.url, { token: unused.token }))
    for (const response of late) expect(await response.text()).toContain('no longer open')
    const [row] = await checkout.db.query<{ status: string }>`
      select i.status from payment_intents i join challenges c on c.intent_id = i.id
       order by c.created_at desc limit 1`
    expect(row?.status).toBe('requires_action')
    await checkout.registerOrigin(shop)
  })
}

test('the tokens of a challenge are kept while its checkout may be seen, and then let go', async () => {
  const client = await challenged()
  const open = await challenged()
  const ticket = await ticketOf(client)
  await ticketOf(open)
  const token = await enter(ticket)
  await submit(`${ticket.url}/answer`, { token, code: '1234', action: 'confirm' })
  const tokensOf = async ({ id }: CheckoutView): Promise<number> => {
    const rows = await checkout.db.query`
      select from challenge_tokens t join challenges c on c.id = t.challenge_id
       where c.intent_id = ${id}`
    return rows.length
  }
  const [done, waits] = [await client.view(), await open.view()]
  checkout.advance(9 * 60_000)
  await reap(checkout.context)
  expect([await tokensOf(done), await tokensOf(waits)]).toEqual([3, 1])
  checkout.advance(60_000 + 1000)
  await reap(checkout.context)
  expect([await tokensOf(done), await tokensOf(waits)]).toEqual([0, 1])
})

test('the store keeps only the hash of a token', async () => {
  const client = await challenged()
  const ticket = await ticketOf(client)
  const token = await enter(ticket)
  const [dump] = await checkout.db.query<{ text: string }>`
    select json_agg(c)::text || json_agg(t)::text as text
      from challenges c join challenge_tokens t on t.challenge_id = c.id`
  expect(dump?.text).not.toContain(ticket.token)
  expect(dump?.text).not.toContain(token)
})

test('the framed challenge may stand in the checkout and the shop, and nowhere else', async () => {
  const ticket = await ticketOf(await challenged())
  const { headers } = await submit(ticket.url, { token: ticket.token })
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
      `form-action 'self' ${checkout.url} ${shop}; base-uri 'none'; object-src 'none'; ` +
      `frame-ancestors ${checkout.url} ${shop}; require-trusted-types-for 'script'; trusted-types lit-html`,
  )
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-frame-options')).toBeNull()
  expect(headers.get('set-cookie')).toBeNull()
})

test('shows the end of an expired token where it was issued, and of an unknown one nowhere', async () => {
  const client = await challenged()
  const older = await ticketOf(client)
  const ticket = await ticketOf(client)
  const answer = await enter(ticket)
  const answerUrl = `${ticket.url}/answer`
  await submit(answerUrl, { token: answer, code: '1111', action: 'confirm' })
  const ancestors = async (url: string, token: string): Promise<string | undefined> => {
    const response = await submit(url, { token })
    expect(await response.text()).toContain('no longer open')
    const policy = response.headers.get('content-security-policy') ?? ''
    return /frame-ancestors [^;]*/.exec(policy)?.[0]
  }
  const known = `frame-ancestors ${checkout.url} ${shop}`
  expect(await ancestors(ticket.url, ticket.token)).toBe(known)
  expect(await ancestors(ticket.url, older.token)).toBe(known)
  expect(await ancestors(answerUrl, answer)).toBe(known)
  const strange = `frame-ancestors ${checkout.url}`
  for (const token of ['', 'x'.repeat(43), answer]) {
    expect(await ancestors(ticket.url, token)).toBe(strange)
  }
})

test('a bank that refuses framing stands alone and sends the buyer back by GET', async () => {
  const client = await challenged('4000002760003184')
  const ticket = await ticketOf(client, { returnUrl: page })
  expect(ticket.url).toBe(`${checkout.challengeUrl}/bank`)
  const asked = await submit(ticket.url, { token: ticket.token })
  expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(asked.headers.get('x-frame-options')).toBe('DENY')
  const token = tokenIn(await asked.text())
  const back = await submit(`${ticket.url}/answer`, { token, code: '1234', action: 'confirm' })
  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toBe(page)
  expect((await client.view()).status).toBe('succeeded')
})

test('a full-page challenge returns to registered origins alone (threat 60)', async () => {
  const client = await challenged('4000002760003184')
  for (const body of [{}, { returnUrl: 'http://evil.localhost:3000/' }]) {
    const refused = await client.post('challenge/open', body)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'origin_not_allowed' })
  }
})

test('the page for one presentation takes no token of the other', async () => {
  const ticket = await ticketOf(await challenged())
  const html = await (await submit(`${checkout.challengeUrl}/bank`, { token: ticket.token })).text()
  expect(html).toContain('no longer open')
})

test('what the merchant is called and what a form sends stay text at the bank', async () => {
  const pair = await checkout.createIntent({ environmentId: 'env_other' })
  await checkout.registerOrigin(shop, 'env_other')
  await checkout.db.query`
    update merchants set name = ${'<img src=x onerror=alert(1)> "Books"'} where id = 'mer_books'`
  const client = new PageClient(checkout)
  await client.open(pair, shop)
  await client.pay('4000000000003220')
  const { url, token } = await ticketOf(client)
  const html = await (await submit(url, { token, locale: '"><script>' })).text()
  expect(html).not.toContain('<img')
  expect(html).not.toContain('<script>')
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;')
})
