import { cardOf, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test, vi } from 'vitest'
import { ConfirmSchema, rejectPastExpiry } from '../../src/checkout/parse-request.ts'
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
  expect(Object.keys(session)).toEqual(['token', 'intent'])
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
  const environments = ['env_test', 'env_test', 'env_test', 'env_other']
  const create = async (environmentId: string) => await checkout.createIntent({ environmentId })
  const [one, other, revoked, foreign] = await Promise.all(environments.map(create))
  if (!one || !other || !revoked || !foreign) throw new Error('missing')
  await change(checkout.context.intents, revoked.id, { type: 'revoked' })
  const bodies = new Set<string>()
  for (const pair of [
    { id: 'pi_000000000000000000000000', clientSecret: one.clientSecret },
    { id: one.id, clientSecret: other.clientSecret },
    { id: one.id, clientSecret: foreign.clientSecret },
    { id: one.id, clientSecret: `${one.clientSecret.slice(0, -1)}!` },
    { id: one.id, clientSecret: 'short' },
    revoked,
  ]) {
    const response = await new HostedPage(checkout).post('session', { ...pair, origin: shop })
    expect(response.status).toBe(404)
    bodies.add((await response.text()).replace(/req_\w+/, ''))
  }
  expect([...bodies]).toEqual([
    expect.stringContaining(
      'No Payment Intent has this id, or its clientSecret is not valid. Request a new one from the shop.',
    ),
  ])
})

test.each(['http://evil.localhost:3000', 'null', `${shop}/`, shop.toUpperCase()])(
  'rejects a session for a page of %s',
  async (origin) => {
    const pair = await checkout.createIntent()
    const response = await new HostedPage(checkout).post('session', { ...pair, origin })
    expect(await response.json()).toMatchObject({
      status: 403,
      code: 'origin_not_allowed',
      detail:
        'The origin of the page around the checkout is not registered. Run pi-service origins add.',
    })
  },
)

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

test.each([
  ['without a token', () => undefined, 'Bearer'],
  ['with an invalid token', () => 'Bearer abc.def.ghi', invalidToken],
  ['with two tokens', (token: string) => `Bearer ${token} x`, invalidToken],
  ['with another scheme', (token: string) => `Basic Bearer ${token}`, invalidToken],
] as const)('rejects every request %s', async (_, header, challenge) => {
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

test('changes nothing for a page of another origin', async () => {
  const client = await opened()
  for (const headers of [
    { origin: shop },
    { origin: 'null' },
    { origin: '' },
    ...['same-site', 'cross-site', 'none'].map((site) => ({ 'sec-fetch-site': site })),
  ]) {
    const response = await client.post('cancel', {}, headers)
    expect(await response.json(), JSON.stringify(headers)).toMatchObject({
      status: 403,
      code: 'origin_not_allowed',
      detail: 'Only the hosted checkout page may call this. Merchants use POST /payment-intents.',
    })
  }
  const headers = { authorization: `Bearer ${client.token}`, 'sec-fetch-site': 'cross-site' }
  const view = await fetch(`${checkout.url}/checkout-api/intent`, { headers })
  expect(await problemOf(view)).toBe('403 origin_not_allowed')
  expect((await client.view()).status).toBe('requires_payment_method')
  const own = await client.post('cancel', {}, { 'sec-fetch-site': 'same-origin' })
  expect(own.status).toBe(200)
})

test('opens a challenge twenty times, and cancels it also twice', async () => {
  const client = await opened()
  const open = async () => await client.post('challenge/open', {})
  expect(await problemOf(await open())).toBe('409 version_conflict')
  await client.pay('4000000000003220')
  const url = `${checkout.challengeUrl}/challenge`
  expect((await client.view()).nextAction).toMatchObject({ type: 'challenge', url })
  const ticket = { url, token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/) }
  // The one without a challenge counts too.
  for (let count = 1; count < 20; count++) expect(await (await open()).json()).toEqual(ticket)
  const statuses = await Promise.all(Array.from({ length: 10 }, open))
  expect(statuses.map(({ status }) => status)).toContain(429)
  checkout.advance(60_000)
  expect(await (await open()).json()).toEqual(ticket)
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

test.each(['', 'x', '-1', '1.5', '1234567890'])('rejects waitForVersion=%s', async (version) => {
  const response = await (await opened()).get(`?waitForVersion=${version}`)
  expect(await response.json()).toMatchObject({
    status: 400,
    code: 'validation_failed',
    detail: 'waitForVersion must have 1 to 9 digits.',
  })
})

test('waits for a version, until the intent changes or the client disconnects', async () => {
  const [client, end] = [await opened(), new AbortController()]
  begin.mockClear()
  const disconnected = client.get('?waitForVersion=2', end.signal).catch(() => 'disconnected')
  await vi.waitFor(() => expect(begin).toHaveBeenCalledTimes(1))
  const waiting = client.waitForVersion()
  await vi.waitFor(() => expect(begin).toHaveBeenCalledTimes(2))
  end.abort()
  expect(await disconnected).toBe('disconnected')
  const [left, other] = begin.mock.calls.map(([{ signal }]) => signal)
  await vi.waitFor(() => expect([left?.aborted, other?.aborted]).toEqual([true, false]))
  await client.post('cancel', {})
  expect(await waiting).toMatchObject({ status: 'canceled', version: 2 })
})

test('rejects a number that is no test card before the other fields, without repeating it', async () => {
  const client = await opened()
  const number = '4111111111111111'
  const body = { confirmationId: 7, paymentMethod: { card: { number } } }
  const text = await (await client.post('confirm', body)).text()
  expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'card_not_accepted', errors: [] })
  expect(text).not.toContain(number)
})

const method = cardOf('4242424242424242')
const confirmation = { confirmationId: 'attempt-00000001', version: 1, paymentMethod: method }

function withCard(changes: object): object {
  return { paymentMethod: { ...method, card: { ...method.card, ...changes } } }
}

test.each<[pointer: string, code: string, changes: object]>([
  ['/amount', 'unknown_parameter', { amount: 1 }],
  ['/confirmationId', 'invalid_format', { confirmationId: 'short' }],
  ['/version', 'invalid_type', { version: '1' }],
  ['/paymentMethod/x', 'unknown_parameter', { paymentMethod: { ...method, x: 1 } }],
  ['/paymentMethod/card/expMonth', 'too_big', withCard({ expMonth: 13 })],
  ['/paymentMethod/card/expYear', 'too_small', withCard({ expYear: 2020 })],
  ['/paymentMethod/card/cvc', 'invalid_format', withCard({ cvc: '12345' })],
  ['/paymentMethod/card/holderName', 'invalid_format', withCard({ holderName: '' })],
])('names the invalid field %s, and keeps the intent', async (pointer, code, changes) => {
  const client = await opened()
  const response = await client.post('confirm', { ...confirmation, ...changes })
  const detail = expect.stringMatching(RegExp(`^${pointer.slice(1).replaceAll('/', '.')} `))
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer, code, detail }] })
  expect((await client.view()).version).toBe(1)
})

test('accepts a card until its month has ended in each time zone', () => {
  const body = ConfirmSchema.parse({ ...confirmation, ...withCard({ expMonth: 2, expYear: 2028 }) })
  rejectPastExpiry(body, new Date('2028-03-01T11:59:59.999Z'))
  const late = () => rejectPastExpiry(body, new Date('2028-03-01T12:00:00.000Z'))
  expect(late).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})

test('cancels an intent, also twice, and not while the bank decides', async () => {
  const client = await opened()
  for (let times = 0; times < 2; times++) {
    expect(await (await client.post('cancel', {})).json()).toMatchObject({ status: 'canceled' })
  }
  expect(await problemOf(await client.pay('4242424242424242'))).toBe('409 intent_finalized')
  const slow = await opened()
  await slow.pay('4000000000000341')
  expect(await problemOf(await slow.post('cancel', {}))).toBe('409 confirmation_in_progress')
})

test('limits the confirmations of one live intent, and not those of another one', async () => {
  await checkout.registerOrigin(shop, 'env_live')
  const client = await opened('env_live')
  const attempt = { confirmationId: 'attempt-0000000009', version: 1 }
  const pay = async () => await client.pay('4242424242424242', attempt)
  const responses = await Promise.all(Array.from({ length: 40 }, pay))
  const limited = responses.filter(({ status }) => status !== 200)
  expect([limited.length > 0, limited.length <= 20]).toEqual([true, true])
  for (const response of limited) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(response)).toBe('429 rate_limited')
  }
  expect((await (await opened('env_live')).pay('4242424242424242')).status).toBe(200)
})

const removed = 'http://removed.example.localhost:3000'

test.each([
  [
    'its origin is removed',
    async () => await removeOrigin(checkout.db, { environmentId: 'env_test', origin: removed }),
  ],
  [
    'its clientSecret is revoked',
    async (id: string) => await change(checkout.context.intents, id, { type: 'revoked' }),
  ],
] as const)('ends a session, and no other one, when %s', async (_, end) => {
  await checkout.registerOrigin(removed)
  const pair = await checkout.createIntent()
  const [client, other] = [new HostedPage(checkout), await opened()]
  await client.open(pair, removed)
  begin.mockClear()
  const waiting = client.get('?waitForVersion=2')
  await vi.waitFor(() => expect(begin).toHaveBeenCalled())
  await end(pair.id)
  expect(await problemOf(await waiting)).toBe('401 invalid_session')
  const response = await client.get()
  expect(response.headers.get('www-authenticate')).toBe(invalidToken)
  for (const path of protectedPaths) {
    expect(await problemOf(await client.post(path, {})), path).toBe('401 invalid_session')
  }
  expect((await other.pay('4242424242424242')).status).toBe(200)
})

test('rejects further sessions of an intent for which a client opens them without end', async () => {
  const [mine, others] = [await checkout.createIntent(), await checkout.createIntent()]
  const open = async (pair: object): Promise<number> =>
    (await new HostedPage(checkout).post('session', { ...pair, origin: shop })).status
  const statuses = await Promise.all(Array(150).fill(mine).map(open))
  const accepted = statuses.filter((status) => status === 200).length
  expect([statuses.includes(429), accepted >= 100]).toEqual([true, true])
  // A client that knows only the id uses up none of them.
  const wrong = { id: others.id, clientSecret: 'wrong' }
  expect(new Set(await Promise.all(Array(110).fill(wrong).map(open)))).toEqual(new Set([404]))
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
