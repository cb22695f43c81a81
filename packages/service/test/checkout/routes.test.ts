import { cardOf, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test, vi } from 'vitest'
import { samePageCheck } from '../../src/checkout/routes.ts'
import { stateOf } from '../../src/intents/intent.ts'
import { change, createIntentStore } from '../../src/intents/store.ts'
import { removeOrigin } from '../../src/merchants/merchants.ts'
import { sql } from '../../src/store/sql.ts'
import { shop, startCheckout } from '../support/checkout.ts'
import { problemOf } from '../support/service.ts'
import { observed, openTestStore } from '../support/store.ts'

const checkout = await startCheckout()
await checkout.registerOrigin(shop)

async function opened(environmentId = 'env_test'): Promise<HostedPage> {
  const client = new HostedPage(checkout)
  await client.open(await checkout.createIntent({ environmentId }))
  return client
}

/** The waits that have begun. */
const begin = vi.spyOn(checkout.context.waits, 'wait')

const protectedPaths = ['confirm', 'cancel', 'challenge/open', 'challenge/cancel']

test('shows merchant, amount, and order, and no customer data', async () => {
  const client = new HostedPage(checkout)
  const pair = await checkout.createIntent()
  const session = await client.open(pair)
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

test('returns one 404 for every mismatch of id and clientSecret', async () => {
  const [one, other, revoked] = [
    await checkout.createIntent(),
    await checkout.createIntent(),
    await checkout.createIntent(),
  ]
  const foreign = await checkout.createIntent({ environmentId: 'env_other' })
  await change(checkout.context.intents, revoked.id, { type: 'revoked' })
  const bodies = new Set<string>()
  for (const [rule, pair] of [
    ['unknown_intent', { id: 'pi_000000000000000000000000', clientSecret: one.clientSecret }],
    ['wrong_or_old_secret', { id: one.id, clientSecret: other.clientSecret }],
    ['wrong_or_old_secret', { id: one.id, clientSecret: foreign.clientSecret }],
    ['wrong_or_old_secret', { id: one.id, clientSecret: `${one.clientSecret.slice(0, -1)}!` }],
    ['wrong_or_old_secret', { id: one.id, clientSecret: 'short' }],
    ['revoked_secret', revoked],
  ] as const) {
    const before = checkout.logged.length
    const response = await new HostedPage(checkout).post('session', { ...pair, origin: shop })
    expect(response.status).toBe(404)
    bodies.add((await response.text()).replace(/req_\w+/, ''))
    const lines = checkout.logged.slice(before)
    expect(lines.join()).not.toContain(pair.clientSecret)
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'Rejected a checkout session',
        error: expect.objectContaining({ rule }),
        requestId: response.headers.get('request-id'),
      }),
    )
  }
  expect([...bodies]).toEqual([
    expect.stringContaining(
      'No Payment Intent has this id, or its clientSecret is not valid. Request a new one from the shop.',
    ),
  ])
})

for (const origin of ['http://evil.localhost:3000', 'null', `${shop}/`, shop.toUpperCase()]) {
  test(`rejects a session for a page of ${origin}`, async () => {
    const pair = await checkout.createIntent()
    const response = await new HostedPage(checkout).post('session', { ...pair, origin })
    expect(await response.json()).toMatchObject({
      status: 403,
      code: 'origin_not_allowed',
      detail:
        'The origin of the page around the checkout is not registered. Run pi-service origins add.',
    })
    expect(checkout.logged.at(-1)).toContain('"rule":"unregistered_origin"')
  })
}

test('opens a settled intent for ten minutes', async () => {
  const pair = await checkout.createIntent()
  const client = new HostedPage(checkout)
  await client.open(pair)
  await client.pay('4242424242424242')
  expect((await new HostedPage(checkout).open(pair)).intent.status).toBe('succeeded')
  // The intent's own times: advancing the service's would end every session of this file.
  await checkout.db.query(sql`
    update intents
       set finalized_at = finalized_at - ${11 * 60_000},
           created_at = created_at - ${20 * 60_000}
     where id = ${pair.id}`)
  const late = await client.post('session', { ...pair, origin: shop })
  expect(await problemOf(late)).toBe('404 payment_intent_not_found')
})

const invalidToken = 'Bearer error="invalid_token"'
for (const [what, header, challenge] of [
  ['without a token', () => undefined, 'Bearer'],
  ['with an invalid token', () => 'Bearer abc.def.ghi', invalidToken],
  ['with two tokens', (token: string) => `Bearer ${token} x`, invalidToken],
  ['with another scheme', (token: string) => `Basic Bearer ${token}`, invalidToken],
] as const) {
  test(`rejects every request ${what}`, async () => {
    const authorization = header((await opened()).token)
    const headers = authorization ? { authorization } : {}
    begin.mockClear()
    const view = await fetch(`${checkout.url}/checkout-api/intent?waitForVersion=2`, { headers })
    expect(begin).not.toHaveBeenCalled()
    expect(view.headers.get('www-authenticate')).toBe(challenge)
    expect(await view.json()).toMatchObject({
      status: 401,
      code: 'invalid_session',
      detail: 'The checkout session has ended. Open a new one with the clientSecret.',
    })
    for (const path of protectedPaths) {
      const response = await new HostedPage(checkout).post(path, {}, headers)
      expect(await problemOf(response), path).toBe('401 invalid_session')
    }
  })
}

test('changes nothing for a page of another origin', async () => {
  const client = await opened()
  const response = await client.post('cancel', {}, { origin: shop })
  expect(await response.json()).toMatchObject({
    status: 403,
    code: 'origin_not_allowed',
    detail: 'Only the hosted checkout page may call this. Merchants use POST /payment-intents.',
  })
  expect((await client.view()).status).toBe('requires_payment_method')
})

const host = '127.0.0.1:4000'
for (const [method, headers, isAllowed] of [
  ['POST', { host, origin: 'https://pay.example', 'sec-fetch-site': 'same-origin' }, true],
  ['POST', { host, origin: `http://${host}` }, true],
  ['POST', { host, origin: 'https://pay.example', 'sec-fetch-site': 'same-site' }, false],
  ['POST', { host, origin: 'https://pay.example', 'sec-fetch-site': 'cross-site' }, false],
  ['POST', { host, origin: 'https://pay.example', 'sec-fetch-site': 'none' }, false],
  ['POST', { host, origin: 'null' }, false],
  ['POST', { host }, false],
  ['GET', { host }, true],
  ['GET', { host, 'sec-fetch-site': 'cross-site' }, false],
] as const) {
  test(`allows ${method} with ${JSON.stringify(headers)}: ${isAllowed}`, () => {
    const check = () => samePageCheck('https://pay.example')({ method, headers } as never)
    if (isAllowed) check()
    else expect(check).toThrow('Only the hosted checkout page may call this.')
  })
}

for (const [number, code, declineCode] of [
  ['4000000000000002', 'card_declined', 'generic_decline'],
  ['4000000000009995', 'card_declined', 'insufficient_funds'],
  ['4000000000009987', 'card_declined', 'generic_decline'],
  ['4000000000000069', 'expired_card', null],
  ['4000000000000127', 'incorrect_cvc', null],
  ['4000000000000119', 'processing_error', null],
] as const) {
  test(`accepts another card after the one that ends in ${number.slice(-4)}: ${code}`, async () => {
    const client = await opened()
    expect(await (await client.pay(number)).json()).toMatchObject({
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: { code, declineCode, retryable: true },
    })
    const paid = await client.pay('4242424242424242')
    expect(await paid.json()).toMatchObject({
      status: 'succeeded',
      paymentMethod: {
        type: 'card',
        card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, funding: 'credit' },
      },
      lastPaymentFailure: null,
    })
  })
}

test('fails the intent after a stolen card, shown as a plain decline', async () => {
  const client = await opened()
  expect(await (await client.pay('4000000000009979')).json()).toMatchObject({
    status: 'failed',
    lastPaymentFailure: { code: 'card_declined', declineCode: 'generic_decline', retryable: false },
  })
  expect(await (await client.pay('4242424242424242')).json()).toMatchObject({
    status: 409,
    code: 'intent_finalized',
    detail: 'The Payment Intent is final. Read it again.',
  })
})

test('charges once for one of twenty simultaneous confirmations', async () => {
  const client = await opened()
  const { id, version } = await client.view()
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => client.pay('4242424242424242', { version })),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  const intent = await checkout.context.intents.find(id)
  const confirmations = intent ? stateOf(intent).confirmations : []
  expect(confirmations).toMatchObject([{ providerPaymentId: expect.stringMatching(/^sim_/) }])
})

test('opens a challenge twenty times, and cancels it also twice', async () => {
  const client = await opened()
  expect(await problemOf(await client.post('challenge/open', {}))).toBe('409 version_conflict')
  await client.pay('4000000000003220')
  const { nextAction } = await client.view()
  expect(nextAction).toMatchObject({ type: 'challenge', url: `${checkout.challengeUrl}/challenge` })
  const ticket = {
    url: nextAction?.url,
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/),
  }
  const startedAt = performance.now()
  // The one without a challenge counts too.
  let accepted = 1
  let response: Response
  for (; ; accepted++) {
    response = await client.post('challenge/open', {})
    if (response.status !== 200) break
    expect(await response.json()).toEqual(ticket)
  }
  expect(await problemOf(response)).toBe('429 rate_limited')
  expect(accepted).toBeGreaterThanOrEqual(20)
  expect(accepted).toBeLessThanOrEqual(20 + (performance.now() - startedAt) / 3000)
  checkout.advance(60_000)
  expect(await (await client.post('challenge/open', {})).json()).toEqual(ticket)
  for (let times = 0; times < 2; times++) {
    expect(await (await client.post('challenge/cancel', {})).json()).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentFailure: {
        code: 'authentication_failed',
        declineCode: 'authentication_canceled',
        message: 'The confirmation was not finished. Try again or use another card.',
      },
    })
  }
})

test('opens a redirect with an address to return to only', async () => {
  const client = await opened()
  await client.pay('4000002760003184')
  const forged = ['https://evil.example/', '?', '?return=https%3A%2F%2Fevil.example%2F', '/docs']
  for (const body of [{}, ...forged.map((returnUrl) => ({ returnUrl }))]) {
    expect(await (await client.post('challenge/open', body)).json()).toMatchObject({
      status: 403,
      code: 'origin_not_allowed',
      detail:
        'returnUrl must be an address on a registered origin, with https, or with http on loopback.',
    })
  }
  const ticket = await client.openChallenge({ returnUrl: `${shop}/thanks` })
  expect(ticket.url).toBe(`${checkout.challengeUrl}/bank`)
})

for (const version of ['', 'x', '-1', '1.5', '1234567890', ' 1']) {
  test(`rejects waitForVersion=${version}`, async () => {
    const response = await (await opened()).get(`?waitForVersion=${version}`)
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'validation_failed',
      detail: 'waitForVersion must have 1 to 9 digits.',
    })
  })
}

test('reads an intent that has the awaited version, and ignores other parameters', async () => {
  const client = await opened()
  expect((await client.view('?waitForVersion=1&x=1')).version).toBe(1)
  expect((await client.view('?waitForVersion=000000001')).version).toBe(1)
})

test('waits for a version, until the intent changes or the client disconnects', async () => {
  const [client, end] = [await opened(), new AbortController()]
  begin.mockClear()
  const disconnected = client.get('?waitForVersion=2', end.signal).catch(() => 'disconnected')
  await vi.waitFor(() => expect(begin).toHaveBeenCalledTimes(1))
  const waiting = [client.waitForVersion(), client.waitForVersion()]
  await vi.waitFor(() => expect(begin).toHaveBeenCalledTimes(3))
  end.abort()
  expect(await disconnected).toBe('disconnected')
  const signals = begin.mock.calls.map(([{ signal }]) => signal)
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false])
  await client.post('cancel', {})
  for (const view of await Promise.all(waiting)) {
    expect(view).toMatchObject({ status: 'canceled', version: 2 })
  }
})

test('rejects a number that is no test card before the other fields, without repeating it', async () => {
  const client = await opened()
  const number = '4111111111111111'
  const body = { confirmationId: 7, paymentMethod: { card: { number } } }
  const text = await (await client.post('confirm', body)).text()
  expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'card_not_accepted', errors: [] })
  expect(text).not.toContain(number)
})

test('names an invalid field, and keeps the intent', async () => {
  const client = await opened()
  const body = {
    confirmationId: 'attempt-0000000003',
    version: 1,
    paymentMethod: cardOf('4242424242424242'),
    amount: 1,
  }
  const response = await client.post('confirm', body)
  expect(await response.json()).toMatchObject({
    status: 400,
    code: 'unknown_parameter',
    errors: [{ pointer: '/amount' }],
  })
  expect((await client.view()).version).toBe(1)
})

test('cancels an intent, also twice, and accepts no card afterwards', async () => {
  const client = await opened()
  for (let times = 0; times < 2; times++) {
    expect(await (await client.post('cancel', {})).json()).toMatchObject({ status: 'canceled' })
  }
  expect(await problemOf(await client.pay('4242424242424242'))).toBe('409 intent_finalized')
})

test('settles a slow payment after five seconds, and never a pending one', async () => {
  const [slow, pending] = [await opened(), await opened()]
  const processing = { status: 'processing' }
  expect(await (await slow.pay('4000000000000341')).json()).toMatchObject(processing)
  expect(await problemOf(await slow.post('cancel', {}))).toBe('409 confirmation_in_progress')
  await pending.pay('4000000000000077')
  checkout.advance(60_000)
  expect((await slow.view()).status).toBe('succeeded')
  expect(await pending.view()).toMatchObject(processing)
})

test('limits the confirmations of one live intent, and not those of another one', async () => {
  await checkout.registerOrigin(shop, 'env_live')
  const client = await opened('env_live')
  const attempt = { confirmationId: 'attempt-0000000009', version: 1 }
  const pay = async () => await client.pay('4242424242424242', attempt)
  const responses = await Promise.all(Array.from({ length: 40 }, pay))
  const limited = responses.filter(({ status }) => status !== 200)
  expect(limited.length).toBeGreaterThan(0)
  expect(limited.length).toBeLessThanOrEqual(20)
  for (const response of limited) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(response)).toBe('429 rate_limited')
  }
  expect((await (await opened('env_live')).pay('4242424242424242')).status).toBe(200)
})

const removed = 'http://removed.example.localhost:3000'

for (const [what, end, status] of [
  [
    'its origin is removed',
    async () => await removeOrigin(checkout.db, { environmentId: 'env_test', origin: removed }),
    'requires_payment_method',
  ],
  [
    'its clientSecret is revoked',
    async (id: string) => await change(checkout.context.intents, id, { type: 'revoked' }),
    'canceled',
  ],
] as const) {
  test(`ends a session, and no other one, when ${what}`, async () => {
    await checkout.registerOrigin(removed)
    const pair = await checkout.createIntent()
    const [client, other] = [new HostedPage(checkout), await opened()]
    await client.open(pair, removed)
    expect((await client.view()).version).toBe(1)
    begin.mockClear()
    const waiting = client.get('?waitForVersion=2')
    await vi.waitFor(() => expect(begin).toHaveBeenCalled())
    expect(await end(pair.id)).toBeTruthy()
    expect(await problemOf(await waiting)).toBe('401 invalid_session')
    for (const query of ['', '?waitForVersion=2']) {
      const response = await client.get(query)
      expect(response.headers.get('www-authenticate')).toBe(invalidToken)
      expect(await problemOf(response), query).toBe('401 invalid_session')
    }
    for (const path of protectedPaths) {
      expect(await problemOf(await client.post(path, {})), path).toBe('401 invalid_session')
    }
    expect((await other.pay('4242424242424242')).status).toBe(200)
    const intents = await checkout.db.query(sql`select status from intents where id = ${pair.id}`)
    expect(intents).toEqual([{ status }])
  })
}

test('rejects further sessions of an intent for which a client opens them without end', async () => {
  const [mine, others] = [await checkout.createIntent(), await checkout.createIntent()]
  const open = async (pair: object): Promise<number> =>
    (await new HostedPage(checkout).post('session', { ...pair, origin: shop })).status
  const statuses: number[] = []
  while (statuses.length < 150)
    statuses.push(...(await Promise.all(Array(10).fill(mine).map(open))))
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect(statuses.slice(0, 100)).not.toContain(429)
  expect(await open(others)).toBe(200)
  // A client that knows only the id uses up none of them.
  const wrong = { id: others.id, clientSecret: 'wrong' }
  for (let count = 0; count < 110; count++) expect(await open(wrong)).toBe(404)
  expect(await open(others)).toBe(200)
})

test('ends the session of a buyer whose clientSecret is revoked while Pay is handled', async () => {
  const store = await openTestStore()
  let revoking: string | undefined
  const db = observed(store, async ({ text }) => {
    if (!revoking || !text.includes('update intents')) return
    const intents = createIntentStore({ db: store, now: () => new Date() })
    await change(intents, revoking, { type: 'revoked' })
  })
  const other = await startCheckout({ db })
  await other.registerOrigin(shop)
  const [pair, page] = [await other.createIntent(), new HostedPage(other)]
  await page.open(pair)
  revoking = pair.id
  const paid = await page.pay('4242424242424242', { version: 1 })
  expect(await problemOf(paid)).toBe('401 invalid_session')
  expect((await other.context.intents.find(pair.id))?.status).toBe('canceled')
})
