import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeSecret } from '../../src/intents/intents.ts'
import { removeOrigin } from '../../src/merchants/merchants.ts'
import {
  cardOf,
  PageClient,
  type Pair,
  type RunningCheckout,
  startCheckout,
} from '../support/checkout.ts'

const shop = 'http://shop.example.localhost:3000'
let checkout: RunningCheckout

beforeAll(async () => {
  checkout = await startCheckout()
  await checkout.registerOrigin(shop)
})
afterAll(async () => await checkout.close())

async function opened(overrides = {}): Promise<PageClient> {
  const client = new PageClient(checkout)
  await client.open(await checkout.createIntent(overrides), shop)
  return client
}

async function codeOf(response: Response): Promise<string> {
  const { code } = (await response.json()) as { code: string }
  return `${response.status} ${code}`
}

test('a session shows the merchant, the money and the order, and nothing of the customer (threat 15)', async () => {
  const client = new PageClient(checkout)
  const pair = await checkout.createIntent()
  const session = await client.open(pair, shop)
  expect(Object.keys(session)).toEqual(['token', 'expiresAt', 'intent'])
  expect(session.intent).toEqual({
    id: pair.id,
    version: 1,
    environment: 'test',
    merchantName: 'Ararat Tea House',
    amount: 150000,
    currency: 'AMD',
    orderId: 'A-1001',
    status: 'requires_payment_method',
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
  })
  expect(await client.view()).toEqual(session.intent)
})

test('answers of the private API are kept and framed nowhere, and no other site may read them', async () => {
  const client = await opened()
  const response = await client.post('cancel', {})
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(response.headers.get('request-id')).toMatch(/^req_/)
})

test('every pair that is not accepted gets the same answer (threat 13)', async () => {
  const one = await checkout.createIntent()
  const other = await checkout.createIntent()
  const foreign = await checkout.createIntent({ environmentId: 'env_other' })
  const revoked = await checkout.createIntent()
  await checkout.db.query`update payment_intents set secret_salt = null where id = ${revoked.id}`
  // Its secret key was dropped after a rotation, as it may be once nothing needs it any more.
  const old = await checkout.createIntent()
  await checkout.db.query`update payment_intents set secret_kid = 'old' where id = ${old.id}`
  const client = new PageClient(checkout)
  const bodies = []
  for (const pair of [
    { id: 'pi_000000000000000000000000', clientSecret: one.clientSecret },
    { id: one.id, clientSecret: other.clientSecret },
    { id: one.id, clientSecret: foreign.clientSecret },
    { id: one.id, clientSecret: `${one.clientSecret.slice(0, -1)}!` },
    { id: one.id, clientSecret: 'short' },
    revoked,
    old,
  ]) {
    const response = await client.post('session', { ...pair, origin: shop })
    expect(response.status).toBe(404)
    bodies.push({ ...((await response.json()) as object), requestId: '' })
  }
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
})

test('a good pair inside a page of an unregistered origin is refused by name', async () => {
  const pair = await checkout.createIntent()
  const client = new PageClient(checkout)
  for (const origin of ['http://evil.localhost:3000', 'null', `${shop}/`, shop.toUpperCase()]) {
    const response = await client.post('session', { ...pair, origin })
    expect(await codeOf(response), origin).toBe('403 origin_not_allowed')
  }
})

test('a settled intent can be looked at for ten minutes, then the secret opens nothing (threat 14)', async () => {
  const pair = await checkout.createIntent()
  const client = new PageClient(checkout)
  await client.open(pair, shop)
  await client.pay('4242424242424242')
  expect((await new PageClient(checkout).open(pair, shop)).intent.status).toBe('succeeded')
  // The intent's own clock: moving the service's would end every session of this file.
  await checkout.db.query`
    update payment_intents
       set finalized_at = finalized_at - interval '11 minutes',
           created_at = created_at - interval '20 minutes'
     where id = ${pair.id}`
  const late = await client.post('session', { ...pair, origin: shop })
  expect(await codeOf(late)).toBe('404 payment_intent_not_found')
})

for (const [what, token] of [
  ['no token', ''],
  ['a made-up token', 'Bearer abc.def.ghi'],
  ['another scheme', 'Basic cGk6'],
] as const) {
  test(`${what} opens no route`, async () => {
    const headers = token ? { authorization: token } : {}
    const view = await fetch(`${checkout.url}/checkout-api/intent`, { headers })
    expect(await codeOf(view)).toBe('401 invalid_session')
    const client = new PageClient(checkout)
    for (const path of ['confirm', 'cancel', 'challenge/open', 'challenge/cancel']) {
      expect(await codeOf(await client.post(path, {}, headers)), path).toBe('401 invalid_session')
    }
  })
}

test('other sites, other pages of this host and other names of this machine are refused (threat 58)', async () => {
  const client = await opened()
  for (const headers of [
    { origin: shop },
    { origin: 'null' },
    { origin: checkout.challengeUrl },
    { origin: checkout.url, 'sec-fetch-site': 'same-site' },
    { origin: checkout.url, 'sec-fetch-site': 'cross-site' },
    { origin: checkout.url, 'sec-fetch-site': 'none' },
  ]) {
    const response = await client.post('cancel', {}, headers)
    expect(await codeOf(response), JSON.stringify(headers)).toBe('403 origin_not_allowed')
  }
  const withoutOrigin = await fetch(`${checkout.url}/checkout-api/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${client.token}` },
    body: '{}',
  })
  expect(await codeOf(withoutOrigin)).toBe('403 origin_not_allowed')
  expect((await client.view()).status).toBe('requires_payment_method')
})

test('a card that succeeds pays the intent at once', async () => {
  const client = await opened()
  const response = await client.pay('4242424242424242')
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    status: 'succeeded',
    version: 3,
    paymentMethod: {
      type: 'card',
      card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, funding: 'credit' },
    },
    lastPaymentFailure: null,
  })
})

for (const [number, code, declineCode] of [
  ['4000000000000002', 'card_declined', 'generic_decline'],
  ['4000000000009995', 'card_declined', 'insufficient_funds'],
  ['4000000000009987', 'card_declined', 'generic_decline'],
  ['4000000000000069', 'expired_card', null],
  ['4000000000000127', 'incorrect_cvc', null],
  ['4000000000000119', 'processing_error', null],
] as const) {
  test(`the card that ends in ${number.slice(-4)} is declined, and another card pays`, async () => {
    const client = await opened()
    const declined = (await (await client.pay(number)).json()) as object
    expect(declined).toMatchObject({
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: { code, declineCode, retryable: true },
    })
    expect(await (await client.pay('5555555555554444')).json()).toMatchObject({
      status: 'succeeded',
      lastPaymentFailure: null,
    })
  })
}

test('a stolen card ends the intent, in the words of a plain decline (threat 66)', async () => {
  const client = await opened()
  expect(await (await client.pay('4000000000009979')).json()).toMatchObject({
    status: 'failed',
    lastPaymentFailure: { code: 'card_declined', declineCode: 'generic_decline', retryable: false },
  })
  expect(await codeOf(await client.pay('4242424242424242'))).toBe('409 intent_finalized')
})

test('the tenth declined card ends the intent, and an eleventh is refused (threat 66)', async () => {
  const client = await opened()
  for (let tries = 1; tries < 10; tries++) {
    const view = (await (await client.pay('4000000000000002')).json()) as { status: string }
    expect(view.status, `try ${tries}`).toBe('requires_payment_method')
  }
  expect(await (await client.pay('4000000000000002')).json()).toMatchObject({ status: 'failed' })
  expect(await codeOf(await client.pay('4242424242424242'))).toBe('409 intent_finalized')
})

test('the same attempt sent again is answered again, and charges nothing more', async () => {
  const client = await opened()
  const attempt = { attemptId: 'attempt-0000000001', version: 1 }
  const first = await (await client.pay('4242424242424242', attempt)).json()
  expect(await (await client.pay('4242424242424242', attempt)).json()).toEqual(first)
  expect((await client.view()).version).toBe(3)
})

test('twenty attempts at once make one charge (threats 53, 63)', async () => {
  const client = await opened()
  const { id, version } = await client.view()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.pay('4242424242424242', { version })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  const [charges] = await checkout.db.query<{ count: number }>`
    select count(*)::int as count from payment_attempts
     where intent_id = ${id} and provider_payment_id is not null`
  expect(charges?.count).toBe(1)
})

test('one attempt sent twenty times at once makes one charge and twenty equal answers', async () => {
  const client = await opened()
  const attempt = { attemptId: 'attempt-0000000002', version: 1 }
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async () => await (await client.pay('4242424242424242', attempt)).json(),
    ),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect((await client.view()).version).toBe(3)
})

test('a confirm, a cancel and an expiry that race leave one end (threat 63)', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await opened()
    const answers = await Promise.all([
      client.pay('4242424242424242', { version: 1 }),
      client.post('cancel', {}),
      client.pay('5555555555554444', { version: 1 }),
    ])
    const ended = answers.filter(({ status }) => status === 200)
    expect(ended).toHaveLength(1)
    expect((await client.view()).status).toMatch(/^(succeeded|canceled)$/)
  }
})

test('a card on a view that is out of date is refused: the buyer looks again first', async () => {
  const client = await opened()
  await client.pay('4000000000000002')
  expect(await codeOf(await client.pay('4242424242424242', { version: 1 }))).toBe(
    '409 version_conflict',
  )
})

test('while a bank asks, another attempt is refused', async () => {
  const client = await opened()
  await client.pay('4000000000003220')
  expect(await codeOf(await client.pay('4242424242424242'))).toBe('409 attempt_in_progress')
})

for (const number of ['4111111111111111', '4242424242424241', '5105105105105100', 'not a card']) {
  test(`the number ${number} is refused unread, whatever else the body says`, async () => {
    const client = await opened()
    const body = { attemptId: 7, paymentMethod: { card: { number } } }
    const response = await client.post('confirm', body)
    const text = await response.text()
    expect(response.status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ code: 'card_not_accepted', errors: [] })
    expect(text).not.toContain(number)
  })
}

for (const [pointer, change] of [
  ['/attemptId', { attemptId: 'short' }],
  ['/version', { version: '1' }],
  ['/paymentMethod/type', { paymentMethod: { ...cardOf('4242424242424242'), type: 'cash' } }],
  ['/paymentMethod/card/expMonth', { paymentMethod: withCard({ expMonth: 13 }) }],
  ['/paymentMethod/card/expYear', { paymentMethod: withCard({ expYear: 2020 }) }],
  ['/paymentMethod/card/cvc', { paymentMethod: withCard({ cvc: '12' }) }],
  ['/paymentMethod/card/holderName', { paymentMethod: withCard({ holderName: '' }) }],
  ['/paymentMethod/card/pin', { paymentMethod: withCard({ pin: '0000' }) }],
  ['/amount', { amount: 1 }],
] as const) {
  test(`a confirm with a wrong ${pointer} says which field it is, without its value`, async () => {
    const client = await opened()
    const good = {
      attemptId: 'attempt-0000000003',
      version: 1,
      paymentMethod: cardOf('4242424242424242'),
    }
    const response = await client.post('confirm', { ...good, ...change })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer }],
    })
    expect((await client.view()).version).toBe(1)
  })
}

test('a buyer can cancel, also twice, and then nothing else happens', async () => {
  const client = await opened()
  expect(await (await client.post('cancel', {})).json()).toMatchObject({ status: 'canceled' })
  expect(await (await client.post('cancel', {})).json()).toMatchObject({ status: 'canceled' })
  expect(await codeOf(await client.pay('4242424242424242'))).toBe('409 intent_finalized')
})

test('settles a slow payment after five seconds, for every reader', async () => {
  const client = await opened()
  expect(await (await client.pay('4000000000000341')).json()).toMatchObject({
    status: 'processing',
  })
  expect(await codeOf(await client.post('cancel', {}))).toBe('409 attempt_in_progress')
  checkout.advance(5100)
  expect((await client.view()).status).toBe('succeeded')
})

test('a pending card stays in processing', async () => {
  const client = await opened()
  await client.pay('4000000000000077')
  checkout.advance(60_000)
  expect((await client.view()).status).toBe('processing')
})

test('a long poll answers as soon as another window has moved the intent', async () => {
  const client = await opened()
  const waiting = client.view('?waitForVersion=2', wellBeforeTimeIsUp())
  // Longer than the poll's own pause: it has looked and found nothing.
  await sleep(400)
  await client.pay('4000000000000002')
  expect(await waiting).toMatchObject({ version: 3, status: 'requires_payment_method' })
})

test('a long poll for a version that is reached already answers at once', async () => {
  const client = await opened()
  expect((await client.view('?waitForVersion=1', wellBeforeTimeIsUp())).version).toBe(1)
})

test('takes forty cards from one address in a live environment, and a limit from one intent', async () => {
  await checkout.registerOrigin(shop, 'env_live')
  for (let intents = 0; intents < 5; intents++) {
    const client = await opened({ environmentId: 'env_live' })
    for (let cards = 0; cards < 8; cards++) {
      expect((await client.pay('4000000000000002')).status).toBe(200)
    }
  }
  const client = await opened({ environmentId: 'env_live' })
  const attempt = { attemptId: 'attempt-0000000009', version: 1 }
  for (let sent = 0; sent < 20; sent++) {
    expect((await client.pay('4242424242424242', attempt)).status).toBe(200)
  }
  const limited = await client.pay('4242424242424242', attempt)
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await codeOf(limited)).toBe('429 rate_limited')
  const other = await opened({ environmentId: 'env_live' })
  expect((await other.pay('4242424242424242')).status).toBe(200)
})

const removed = 'http://removed.example.localhost:3000'

for (const [what, end] of [
  [
    'its origin is removed',
    async () => {
      await removeOrigin(checkout.db, { environmentId: 'env_test', origin: removed })
    },
  ],
  [
    'its clientSecret is revoked',
    async ({ id }: Pair) => {
      expect(await revokeSecret(checkout.db, { id, modes: ['test', 'live'] })).toBe(true)
    },
  ],
] as const) {
  test(`an open session stops working when ${what}, and no other one does (threat 59)`, async () => {
    await checkout.registerOrigin(removed)
    const [pair, client, other] = [
      await checkout.createIntent(),
      new PageClient(checkout),
      await opened(),
    ]
    await client.open(pair, removed)
    expect((await client.view()).version).toBe(1)
    await end(pair)
    const headers = { authorization: `Bearer ${client.token}` }
    for (const query of ['', '?waitForVersion=2']) {
      const view = await fetch(`${checkout.url}/checkout-api/intent${query}`, { headers })
      expect(await codeOf(view), query).toBe('401 invalid_session')
    }
    for (const path of ['confirm', 'cancel', 'challenge/open', 'challenge/cancel']) {
      expect(await codeOf(await client.post(path, {})), path).toBe('401 invalid_session')
    }
    expect((await other.pay('4242424242424242')).status).toBe(200)
    const [intent] = await checkout.db.query<{ version: number }>`
      select version from payment_intents where id = ${pair.id}`
    expect(intent?.version).toBe(1)
  })
}

test('a stop of the service answers the long polls at once', async () => {
  const stopped = await startCheckout()
  await stopped.registerOrigin(shop)
  const client = new PageClient(stopped)
  await client.open(await stopped.createIntent(), shop)
  const waiting = client.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await sleep(400)
  stopped.stop()
  expect((await waiting).version).toBe(1)
  await stopped.close()
})

test('a report of a browser is taken without a token, and only rule and origin are kept', async () => {
  const before = checkout.logged.length
  const response = await fetch(`${checkout.url}/checkout-api/reports`, {
    method: 'POST',
    headers: { 'content-type': 'application/reports+json' },
    body: JSON.stringify([
      {
        type: 'csp-violation',
        url: 'https://x/?secret',
        body: { effectiveDirective: 'img-src', blockedURL: 'https://evil.example/a?secret=1' },
      },
    ]),
  })
  expect(response.status).toBe(204)
  const line = checkout.logged.slice(before).join('')
  expect(line).toContain('"directive":"img-src"')
  expect(line).toContain('"blocked":"https://evil.example"')
  expect(line).not.toContain('secret')
})

test('no card number, security code, secret or session token is in the store or the log (threats 33, 64)', async () => {
  const pair = await checkout.createIntent()
  const client = new PageClient(checkout)
  await client.open(pair, shop)
  await client.pay('4000000000003220')
  await client.pay('4111111111111111')
  await client.post('confirm', '{"broken": 4242424242424242')
  const tables = await checkout.db.query<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`
  expect(tables.length).toBeGreaterThan(6)
  const [dump] = await checkout.db.query<{ text: string }>`
    select (select json_agg(i)::text from payment_intents i)
        || (select json_agg(a)::text from payment_attempts a)
        || (select json_agg(e)::text from intent_events e)
        || coalesce((select json_agg(c)::text from challenges c), '') as text`
  const kept = `${dump?.text} ${checkout.logged.join('')}`
  for (const secret of [
    '4000000000003220',
    '4242424242424242',
    '4111111111111111',
    pair.clientSecret,
    client.token,
    '"cvc"',
  ]) {
    expect(kept).not.toContain(secret)
  }
})

/** A long poll ends by itself after 25 s: an answer by then says nothing. */
function wellBeforeTimeIsUp(): AbortSignal {
  return AbortSignal.timeout(10_000)
}

function withCard(change: object): object {
  const method = cardOf('4242424242424242') as { card: object }
  return { ...method, card: { ...method.card, ...change } }
}
