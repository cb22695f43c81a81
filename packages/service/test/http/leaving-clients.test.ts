import { leaveAtEveryByte } from '@pi-checkout/test-support/leaving-client'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'

const shop = 'http://localhost:3000'
const order = '{"amount":150000,"currency":"AMD","orderId":"A-1001"}'

let service: Program<ServiceReady>
let ready: ServiceReady
let intent: { readonly id: string; readonly clientSecret: string }
let session: { readonly token: string; readonly intent: { readonly version: number } }

beforeAll(async () => {
  service = await startService(['--memory'])
  ready = service.ready
  intent = await create()
  session = await openSession()
})

afterAll(async () => void (await service.stop()))

test('the service survives clients that leave at any byte of the merchant API', async () => {
  const authorization = `Authorization: Bearer ${ready.apiKey}`
  const chunks = [order.slice(0, 9), order.slice(9)].flatMap((part) => [
    part.length.toString(16),
    part,
  ])
  await leave({
    requests: [
      post('/payment-intents', order, authorization),
      message(
        'POST /payment-intents',
        [authorization, json, 'Transfer-Encoding: chunked'],
        [...chunks, ...['0', '', '']],
      ),
      get(`/payment-intents/${intent.id}`, authorization),
    ],
  })
})

test('the service survives clients that leave at any byte of the hosted page and its API', async () => {
  const bearer = `Authorization: Bearer ${session.token}`
  const origin = `Origin: ${ready.baseUrl}`
  const news = `/checkout-api/intent?waitForVersion=${session.intent.version + 1}`
  await leave({
    requests: [
      get('/v1/pi-checkout.js'),
      get(`/checkout/${intent.id}`, `Referer: ${shop}/`),
      post('/checkout-api/session', pair(), origin),
      get('/checkout-api/intent', bearer),
      post('/checkout-api/confirm', '{"attemptId":"too short"}', origin, bearer),
    ],
    endless: [get(news, bearer)],
  })
})

test('the service survives clients that leave at any byte of the sandbox', async () => {
  const bearer = `Authorization: Bearer ${ready.adminToken}`
  await leave({
    requests: [get('/_sandbox/environments', bearer), get('/docs'), get('/healthz')],
    endless: [get('/_sandbox/events', bearer)],
  })
})

test('the service still stops in order after all of them', async () => {
  expect(await service.stop()).toBe(0)
})

interface Visits {
  readonly requests: readonly string[]
  readonly endless?: readonly string[]
}

async function leave(visits: Visits): Promise<void> {
  const { hostname: host, port } = new URL(ready.baseUrl)
  const before = service.log.length
  const serves = async (): Promise<void> => void (await create(1000))
  const end = await leaveAtEveryByte({ host, port: Number(port), serves, ...visits }).catch(String)
  // A client that leaves is no failure of the service: no error, no warning of Node.
  const complaints = service.log.slice(before).filter((line) => !/"level":(?:30|40)\b/.test(line))
  expect([end, service.child.exitCode, complaints]).toEqual([undefined, null, []])
}

async function create(timeout?: number): Promise<typeof intent> {
  return ask('/payment-intents', order, { authorization: `Bearer ${ready.apiKey}` }, timeout)
}

async function openSession(): Promise<typeof session> {
  return ask('/checkout-api/session', pair(), { origin: ready.baseUrl })
}

function pair(): string {
  const { id, clientSecret } = intent
  return JSON.stringify({ id, clientSecret, origin: shop })
}

async function ask<T>(
  path: string,
  body: string,
  headers: Record<string, string>,
  timeout = 10_000,
): Promise<T> {
  const response = await fetch(ready.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal: AbortSignal.timeout(timeout),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} returned ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as T // The tests expect what they need of it.
}

const json = 'Content-Type: application/json'

function get(path: string, ...headers: string[]): string {
  return message(`GET ${path}`, headers, [''])
}

function post(path: string, body: string, ...headers: string[]): string {
  return message(`POST ${path}`, [json, `Content-Length: ${body.length}`, ...headers], [body])
}

function message(line: string, headers: readonly string[], body: readonly string[]): string {
  const { host } = new URL(ready.baseUrl)
  const head = [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers]
  return [...head, '', ...body].join('\r\n')
}
