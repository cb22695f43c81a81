import { cardOf, type Handoff, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ConfirmSchema } from '../../src/checkout/parse-request.ts'
import { order, problemOf, startTestService, startWaiting } from '../support/service.ts'

const shop = 'http://localhost:3000'
let offset = 0
const now = (): Date => new Date(Date.now() + offset)
const service = await startTestService({}, { now })
const merchant = 'Sevan Books'
const other = await service.newKey(merchant)
const live = await service.newKey('Tsiran', 'live')
await service.changeOrigin('add', shop, { environment: 'live' })

const protectedPaths = ['confirm', 'cancel', 'challenge/open', 'challenge/cancel']

async function openSession({ id, clientSecret }: Handoff, origin = shop): Promise<Response> {
  return await new HostedPage(service).post('session', { id, clientSecret, origin })
}

test('shows merchant, amount, and order, and no customer data', async () => {
  const customer = { id: 'cus_1', email: 'ani@example.com' }
  const pair = await service.created({ ...order, customer, metadata: { note: 'gift' } })
  const page = new HostedPage(service)
  const session = await page.open(pair)
  expect(Object.keys(session)).toEqual(['token', 'intent'])
  expect(session.intent).toEqual({
    ...order,
    id: pair.id,
    version: 1,
    environment: 'test',
    merchantName: 'Tsiran',
    status: 'requires_payment_method',
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
    confirmationId: null,
  })
  expect(await page.view()).toEqual(session.intent)
})

test('returns one 404 for every mismatch of id and clientSecret', async () => {
  const [one, two] = [await service.created(), await service.created()]
  const [foreign, revoked] = [await other.created(), await live.created()]
  await service.revokeSecret(revoked.id)
  const bodies = new Set<string>()
  for (const [id, clientSecret] of [
    ['pi_000000000000000000000000', one.clientSecret],
    [one.id, two.clientSecret],
    [one.id, foreign.clientSecret],
    [one.id, `${one.clientSecret.slice(0, -1)}!`],
    [one.id, 'short'],
    [revoked.id, revoked.clientSecret],
  ] as const) {
    const response = await openSession({ id, clientSecret })
    expect(response.status).toBe(404)
    bodies.add((await response.text()).replace(/req_\w+/, ''))
  }
  expect([...bodies]).toEqual([expect.stringContaining('Request a new one from the shop.')])
})

const otherOrigins = ['http://evil.localhost:3000', 'null', `${shop}/`, shop.toUpperCase()]

test.each(otherOrigins)('rejects a session for a page of %s', async (origin) => {
  const response = await openSession(await service.created(), origin)
  const detail = expect.stringContaining('Run pi-service origins add.')
  expect(await response.json()).toMatchObject({ code: 'origin_not_allowed', detail })
})

test('opens a session only for the origins of its environment', async () => {
  const otherShop = 'https://books.example'
  await service.changeOrigin('add', otherShop, { merchant })
  for (const [by, origin, status] of [
    [service, shop, 200],
    [other, otherShop, 200],
    [service, otherShop, 403],
    [other, shop, 403],
  ] as const) {
    expect((await openSession(await by.created(), origin)).status).toBe(status)
  }
})

test('opens a settled intent for ten minutes', async () => {
  const pair = await service.created()
  const page = new HostedPage(service)
  await page.open(pair)
  await page.pay()
  expect((await page.open(pair)).intent.status).toBe('succeeded')
  const clock = `/environments/${service.environmentId}/clock`
  await service.control('PUT', clock, { advance: 11 * 60_000 })
  expect(await problemOf(await openSession(pair))).toBe('404 payment_intent_not_found')
  await service.control('PUT', clock, { offset: 0 })
})

const invalidToken = 'Bearer error="invalid_token"'

test.each([
  ['without a token', () => undefined, 'Bearer'],
  ['with an invalid token', () => 'Bearer abc.def.ghi', invalidToken],
  ['with two tokens', (token: string) => `Bearer ${token} x`, invalidToken],
  ['with another scheme', (token: string) => `Basic Bearer ${token}`, invalidToken],
] as const)('rejects every request %s', async (_, header, challenge) => {
  const authorization = header((await service.openPage()).token)
  const headers = authorization ? { authorization } : {}
  const view = await fetch(`${service.url}/checkout-api/intent?waitForVersion=2`, { headers })
  expect(view.headers.get('www-authenticate')).toBe(challenge)
  expect(await problemOf(view)).toBe('401 invalid_session')
  for (const path of protectedPaths) {
    const response = await new HostedPage(service).post(path, {}, headers)
    expect(await problemOf(response), path).toBe('401 invalid_session')
  }
})

test('changes nothing for a page of another origin', async () => {
  const page = await service.openPage()
  const origins = [shop, 'null', ''].map((origin) => ({ origin }))
  const sites = ['same-site', 'cross-site', 'none'].map((site) => ({ 'sec-fetch-site': site }))
  for (const headers of [...origins, ...sites]) {
    const response = await page.post('cancel', {}, headers)
    expect(await problemOf(response), JSON.stringify(headers)).toBe('403 origin_not_allowed')
  }
  const headers = { authorization: `Bearer ${page.token}`, 'sec-fetch-site': 'cross-site' }
  const view = await fetch(`${service.url}/checkout-api/intent`, { headers })
  expect(await problemOf(view)).toBe('403 origin_not_allowed')
  expect((await page.view()).status).toBe('requires_payment_method')
  const own = await page.post('cancel', {}, { 'sec-fetch-site': 'same-origin' })
  expect(own.status).toBe(200)
})

test('opens a challenge twenty times, and cancels it also twice', async () => {
  const page = await service.openPage()
  const open = async () => await page.post('challenge/open', {})
  expect(await problemOf(await open())).toBe('409 version_conflict')
  await page.pay('4000000000003220')
  const url = (await page.view()).nextAction?.url
  const ticket = { url, token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/) }
  // The one without a challenge counts too.
  for (let count = 1; count < 20; count++) expect(await (await open()).json()).toEqual(ticket)
  const statuses = await Promise.all(Array.from({ length: 10 }, open))
  expect(statuses.map(({ status }) => status)).toContain(429)
  offset = 60_000
  expect(await (await open()).json()).toEqual(ticket)
  const failure = { code: 'authentication_failed', declineCode: 'authentication_canceled' }
  const canceled = { status: 'requires_payment_method', lastPaymentFailure: failure }
  for (let times = 0; times < 2; times++) {
    expect(await (await page.post('challenge/cancel', {})).json()).toMatchObject(canceled)
  }
})

test('opens a redirect with an address to return to only', async () => {
  const page = await service.openPage()
  await page.pay('4000002760003184')
  const forged = ['https://evil.example/', '?', '?return=https%3A%2F%2Fevil.example%2F', '/docs']
  for (const returnUrl of [undefined, ...forged]) {
    const response = await page.post('challenge/open', { returnUrl })
    expect(await problemOf(response)).toBe('403 origin_not_allowed')
  }
  const { url } = await page.openChallenge({ returnUrl: `${shop}/thanks` })
  expect(url).toBe((await page.view()).nextAction?.url)
})

test.each(['', 'x', '-1', '1.5', '1234567890'])('rejects waitForVersion=%s', async (version) => {
  const response = await (await service.openPage()).get(`?waitForVersion=${version}`)
  const detail = 'waitForVersion must have 1 to 9 digits.'
  expect(await response.json()).toMatchObject({ status: 400, detail })
})

test('rejects a number that is no test card before the other fields, without repeating it', async () => {
  const page = await service.openPage()
  const number = '4111111111111111'
  const body = { confirmationId: 7, paymentMethod: { card: { number } } }
  const text = await (await page.post('confirm', body)).text()
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
  const page = await service.openPage()
  const response = await page.post('confirm', { ...confirmation, ...changes })
  const detail = expect.stringMatching(RegExp(`^${pointer.slice(1).replaceAll('/', '.')} `))
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer, code, detail }] })
  expect((await page.view()).version).toBe(1)
})

test('accepts a card until its month has ended in each time zone', () => {
  const body = { ...confirmation, ...withCard({ expMonth: 2, expYear: 2028 }) }
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2028-03-01T11:59:59.999Z') })
  onTestFinished(() => void vi.useRealTimers())
  expect(ConfirmSchema.safeParse(body).success).toBe(true)
  vi.setSystemTime('2028-03-01T12:00:00.000Z')
  const path = ['paymentMethod', 'card', 'expYear']
  expect(ConfirmSchema.safeParse(body).error?.issues).toMatchObject([{ path }])
})

test('cancels an intent, also twice, and not while the bank decides', async () => {
  const page = await service.openPage()
  for (let times = 0; times < 2; times++) {
    expect(await (await page.post('cancel', {})).json()).toMatchObject({ status: 'canceled' })
  }
  expect(await problemOf(await page.pay('4242424242424242'))).toBe('409 intent_finalized')
  const slow = await service.openPage()
  await slow.pay('4000000000000341')
  expect(await problemOf(await slow.post('cancel', {}))).toBe('409 confirmation_in_progress')
})

test('names the latest confirmation, by which a page recognizes its own', async () => {
  const page = await service.openPage()
  for (const confirmationId of ['attempt-0000000001', 'attempt-0000000002']) {
    await page.pay('4000000000000002', { confirmationId })
    expect(await page.view()).toMatchObject({ confirmationId })
  }
})

test('limits the confirmations of one live intent, and not those of another one', async () => {
  const page = await live.openPage()
  const attempt = { confirmationId: 'attempt-0000000009', version: 1 }
  const pay = async () => await page.pay('4242424242424242', attempt)
  const responses = await Promise.all(Array.from({ length: 40 }, pay))
  const limited = responses.filter(({ status }) => status !== 200)
  expect([limited.length > 0, limited.length <= 20]).toEqual([true, true])
  for (const response of limited) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(response)).toBe('429 rate_limited')
  }
  expect((await (await live.openPage()).pay()).status).toBe(200)
})

const removed = 'http://removed.example.localhost:3000'

test.each([
  ['its origin is removed', () => service.changeOrigin('remove', removed)],
  ['its clientSecret is revoked', service.revokeSecret],
] as const)('ends a session, and no other one, when %s', async (_, end) => {
  await service.changeOrigin('add', removed)
  await service.changeOrigin('add', removed, { merchant })
  const pair = await service.created()
  const [page, foreign] = [new HostedPage(service), new HostedPage(service)]
  await page.open(pair, removed)
  await foreign.open(await other.created(), removed)
  const others = [foreign, await service.openPage()]
  const waiting = await startWaiting(page)
  await end(pair.id)
  expect(await problemOf(await waiting.response)).toBe('401 invalid_session')
  expect((await page.get()).headers.get('www-authenticate')).toBe(invalidToken)
  for (const path of protectedPaths) {
    expect(await problemOf(await page.post(path, {})), path).toBe('401 invalid_session')
  }
  for (const each of others) expect((await each.pay()).status).toBe(200)
})

test('rejects further sessions of an intent for which a client opens them without end', async () => {
  const [mine, others] = [await service.created(), await service.created()]
  const open = async (pair: Handoff): Promise<number> => (await openSession(pair)).status
  const statuses = await Promise.all(Array.from({ length: 150 }, () => open(mine)))
  const accepted = statuses.filter((status) => status === 200).length
  expect([statuses.includes(429), accepted >= 100]).toEqual([true, true])
  // A client that knows only the id uses up none of them.
  const wrong = Array.from({ length: 110 }, () => open({ ...others, clientSecret: 'wrong' }))
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([404]))
  expect(await open(others)).toBe(200)
})
