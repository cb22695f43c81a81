import { randomBytes } from 'node:crypto'
import { createIntent } from '../fixtures/api.ts'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'
import { Line, requestOf } from '../fixtures/keep-alive.ts'
import { start } from '../fixtures/program.ts'
import { builtService, type ServiceReady } from '../fixtures/world.ts'

/** An address that a request only claims to come from, in every header that proxies use. */
function claimed(number: number): Record<string, string> {
  const address = `203.0.113.${number}`
  return {
    'x-forwarded-for': address,
    'x-real-ip': address,
    forwarded: `for=${address}`,
    'cf-connecting-ip': address,
  }
}

test('a client that claims other addresses is limited, at the API and at the shop (threat 32)', async ({
  world,
}) => {
  const args = [builtService, 'start', '--json', '--port', '0', '--memory']
  const limited = await start<ServiceReady>(args, { PI_RATE_LIMIT: '5' })
  const { baseUrl, apiKey } = limited.ready
  const ask = (number: number, key: string): Promise<Response> =>
    fetch(`${baseUrl}/payment-intents/pi_x`, {
      headers: { authorization: `Bearer ${key}`, ...claimed(number) },
    })
  const numbers = Array.from({ length: 40 }, (_, number) => number)
  const answers = await Promise.all(numbers.map((number) => ask(number, apiKey)))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  const guesses = await Promise.all(
    numbers.map(async (number) => (await ask(number, 'wrong')).status),
  )
  const early = guesses.filter((status) => status === 401)
  expect(guesses.filter((status) => status === 429)).toHaveLength(40 - early.length)
  // Twenty, and what the seconds that this takes add.
  expect(early.length).toBeGreaterThanOrEqual(20)
  expect(early.length).toBeLessThan(30)
  await limited.stop()

  const line = new Line(new URL(world.nodeShop).port)
  const sid = randomBytes(32).toString('base64url')
  const statuses: number[] = []
  for (const number of numbers.slice(0, 12)) {
    const headers = {
      ...{ host: new URL(world.shopUrl).host, origin: world.shopUrl, cookie: `sid=${sid}` },
      ...{ 'content-type': 'application/json', ...claimed(number) },
    }
    const answer = await line.send(requestOf('POST /checkout/handoff', headers, '{}'))
    statuses.push(answer.status)
  }
  line.close()
  expect(statuses).toEqual([...Array(10).fill(404), 429, 429])
})

test('an intent takes ten cards, its address any number, and declines read alike (threat 66)', async ({
  world,
}) => {
  const live = await liveMerchant(world)
  const one = await openSession(world, world.api.apiKey, world.shopUrl)
  const declines: string[] = []
  for (const number of ['4000000000000002', '4000000000009987']) {
    declines.push(JSON.stringify((await one.pay(number)).body.lastPaymentFailure))
  }
  const stolen = await openSession(world, world.api.apiKey, world.shopUrl)
  declines.push(JSON.stringify((await stolen.pay('4000000000009979')).body.lastPaymentFailure))
  const plain = declines.map((text) => text.replace(/"occurredAt":"[^"]*"|"retryable":\w+/g, ''))
  expect(new Set(plain).size).toBe(1)

  const statuses: number[] = []
  for (let intents = 0; intents < 4; intents++) {
    const next = await openSession(world, live, world.shopUrl)
    for (let tries = 0; tries < 10; tries++) {
      statuses.push((await next.pay('4000000000000002', claimed(statuses.length))).status)
    }
    const eleventh = await next.pay('4242424242424242')
    expect([eleventh.status, eleventh.body.code]).toEqual([409, 'intent_finalized'])
  }
  expect(statuses).toEqual(Array(40).fill(200))
})

async function liveMerchant(world: HostileWorld): Promise<string> {
  const who = ['--merchant', 'Carded', '--environment', 'live', '--json']
  const { apiKey } = JSON.parse(await world.administer('keys', 'create', ...who))
  await world.administer('origins', 'add', world.shopUrl, ...who)
  return apiKey
}

interface Answered {
  readonly status: number
  readonly body: { readonly version?: number; readonly code?: string; lastPaymentFailure?: unknown }
}

interface Session {
  pay(number: string, headers?: Readonly<Record<string, string>>): Promise<Answered>
}

async function openSession(
  { api }: HostileWorld,
  apiKey: string,
  origin: string,
): Promise<Session> {
  const post = async (path: string, body: object, headers: object): Promise<Answered> => {
    const answer = await fetch(api.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const { id, clientSecret } = await createIntent({ api: { ...api, apiKey } })
  const own = { origin: api.baseUrl }
  const opened = await post('/checkout-api/session', { id, clientSecret, origin }, own)
  const { token } = opened.body as { token?: string }
  let version = 1
  return {
    pay: async (number, headers = {}) => {
      const card = { number, expMonth: 12, expYear: 2034, cvc: '123' }
      const answered = await post(
        '/checkout-api/confirm',
        {
          attemptId: randomBytes(16).toString('base64url'),
          ...{ version, paymentMethod: { type: 'card', card } },
        },
        { ...own, authorization: `Bearer ${token}`, ...headers },
      )
      version = answered.body.version ?? version
      return answered
    },
  }
}
