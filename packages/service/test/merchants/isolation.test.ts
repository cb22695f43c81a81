import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { PageClient } from '../support/checkout.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, order, retrieve } from '../support/service.ts'
import { type Merchant, startTwoMerchants, type TwoMerchants } from '../support/two-merchants.ts'

const shop = 'http://localhost:3000'
const otherShop = 'https://books.example'
let merchants: TwoMerchants
let first: Merchant
let second: Merchant
let ids: Readonly<Record<'first' | 'second', string>>

beforeAll(async () => {
  merchants = await startTwoMerchants({ PI_RATE_LIMIT: '5' })
  first = merchants.first
  second = merchants.second
  ids = {
    first: await environmentId(first, first.merchant),
    second: await environmentId(first, second.merchant),
  }
  await register(otherShop, second.merchant)
})

afterAll(async () => await merchants.close())

async function register(origin: string, merchant: string): Promise<void> {
  const named = { merchant, environment: 'test' } as const
  await sendAdminCommand(merchants.data, { command: 'origins add', origin, ...named })
}

async function made(by: Merchant): Promise<{ id: string; clientSecret: string; orderId: string }> {
  const response = await create(by, { ...order, orderId: `order of ${by.merchant}` })
  expect(response.status).toBe(201)
  return (await response.json()) as { id: string; clientSecret: string; orderId: string }
}

/** What the sandbox lists of one environment, as text. */
async function listed(environment: string, list: string): Promise<string> {
  return await (await control(first, 'GET', `/environments/${environment}/${list}`)).text()
}

/** Opens a session, and returns the HTTP status and the client. */
async function opened(by: Merchant, origin: string): Promise<[status: number, PageClient]> {
  const { id, clientSecret } = await made(by)
  const client = new PageClient({ url: by.url, nodeUrl: by.url })
  const response = await client.post('session', { id, clientSecret, origin })
  client.token = ((await response.json()) as { token: string }).token
  return [response.status, client]
}

test('the limit of one environment rejects no request of another', async () => {
  const flood = Array.from({ length: 60 }, async () => (await create(merchants.live)).status)
  await expect(create(second).then(({ status }) => status)).resolves.toBe(201)
  expect(await Promise.all(flood)).toContain(429)
  expect((await create(second)).status).toBe(201)
})

test('a clock that one merchant moves leaves deadlines of another where they are', async () => {
  const [own, foreign] = [await made(first), await made(second)]
  const day = 24 * 3600 * 1000
  await control(first, 'PUT', `/environments/${ids.first}/clock`, { advance: day })
  const statusOf = async (of: Merchant, id: string): Promise<string> =>
    ((await (await retrieve(of, id)).json()) as { status: string }).status
  expect(await statusOf(first, own.id)).toBe('expired')
  expect(await statusOf(second, foreign.id)).toBe('requires_payment_method')
  await control(first, 'DELETE', `/environments/${ids.first}/clock`)
})

test('request log, keys, intents and lint of one merchant hold nothing of another', async () => {
  const intents: string[] = []
  for (const [by, key] of [
    [first, 'key-of-the-first-merchant'],
    [second, 'key-of-the-second-merchant'],
  ] as const) {
    const response = await create(by, { ...order, orderId: key }, { 'idempotency-key': key })
    intents.push(((await response.json()) as { id: string }).id)
  }
  const [own = '', foreign = ''] = intents
  for (const list of ['intents', 'requests', 'idempotency', 'lint']) {
    expect(await listed(ids.first, list)).not.toContain(foreign)
    expect(await listed(ids.second, list)).not.toContain(own)
  }
  expect(await listed(ids.first, 'intents')).toContain(own)
  expect(await listed(ids.second, 'intents')).toContain(foreign)
  expect(await listed(ids.first, 'requests')).toContain(own)
  await control(first, 'DELETE', `/environments/${ids.first}/requests`)
  expect(await listed(ids.first, 'requests')).not.toContain(own)
  expect(await listed(ids.second, 'requests')).toContain(foreign)
})

test('an origin of one merchant opens and frames no checkout of another', async () => {
  expect((await opened(first, shop))[0]).toBe(200)
  expect((await opened(second, otherShop))[0]).toBe(200)
  expect((await opened(first, otherShop))[0]).toBe(403)
  expect((await opened(second, shop))[0]).toBe(403)
  const { id } = await made(second)
  const page = await fetch(`${first.url}/checkout/${id}`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain(otherShop)
  expect(policy).not.toContain(shop)
})

test('an origin that one merchant removes ends no session of another', async () => {
  await register(shop, second.merchant)
  const [, own] = await opened(first, shop)
  const [, foreign] = await opened(second, shop)
  await sendAdminCommand(merchants.data, {
    ...{ command: 'origins remove', origin: shop },
    ...{ merchant: second.merchant, environment: 'test' },
  })
  expect((await own.view()).orderId).toBe(`order of ${first.merchant}`)
  expect(await foreign.view()).toMatchObject({ code: 'invalid_session' })
})

test('a reset of one environment deletes no intent of another', async () => {
  const [own, foreign] = [await made(first), await made(second)]
  await control(first, 'POST', '/reset', { environment: ids.first })
  expect((await retrieve(first, own.id)).status).toBe(404)
  expect((await retrieve(second, foreign.id)).status).toBe(200)
})
