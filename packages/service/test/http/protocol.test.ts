import { gzipSync } from 'node:zlib'
import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { Overloaded } from '../../src/store/errors.ts'
import { order, problemOf, sendRaw, startTestService } from '../support/service.ts'

const service = await startTestService()
const { host, port } = new URL(service.url)
const hostLine = `Host: ${host}`
const apiKey = `Authorization: Bearer ${service.apiKey}`
const jsonType = 'Content-Type: application/json'
const body = JSON.stringify(order)
const length = `Content-Length: ${body.length}`

function get(path: string, ...headers: string[]): Promise<Response> {
  return sendRaw(service.url, [`GET ${path} HTTP/1.1`, ...headers])
}

function post(headers: readonly string[], content = body): Promise<Response> {
  const lines = ['POST /payment-intents HTTP/1.1', hostLine, apiKey, ...headers]
  return sendRaw(service.url, lines, content)
}

test('reads the headers after a thousand others', async () => {
  const others = Array.from({ length: 1500 }, () => 'a:b')
  const headers = [...others, jsonType, length, 'Idempotency-Key: after-many']
  const [first, second] = [await post(headers), await post(headers)]
  expect([first.status, await second.text()]).toEqual([201, await first.text()])
  const repeated = await post([...headers, 'Idempotency-Key: 2'])
  expect(await problemOf(repeated)).toBe('400 invalid_idempotency_key')
})

test('serves the API without a Host, and its pages only with one', async () => {
  expect((await get('/payment-intents/pi_x', apiKey)).status).toBe(404)
  expect(await problemOf(await get('/docs'))).toBe('400 invalid_host')
})

test('takes an address in absolute form', async () => {
  const lines = [`POST http://${host}/payment-intents HTTP/1.1`, hostLine, apiKey, jsonType, length]
  expect((await sendRaw(service.url, lines, body)).status).toBe(201)
})

test('takes a host name and an authentication scheme in upper case', async () => {
  expect((await get('/docs', `Host: LOCALHOST:${port}`)).status).toBe(200)
  const { token } = await service.openPage()
  const upper = [`Host: Localhost:${port}`, `Authorization: BEARER ${token}`]
  const site = [`Origin: http://localhost:${port}`, 'Sec-Fetch-Site: same-origin']
  expect((await get('/checkout-api/intent', ...upper, ...site)).status).toBe(200)
})

const head = ['POST /payment-intents HTTP/1.1', hostLine, apiKey, jsonType]
const chunkedHead = [...head, 'Transfer-Encoding: chunked']

test.each([
  ['bytes that are not HTTP', ['GARBAGE', '', ''], 'not well-formed HTTP/1.1'],
  ['a malformed chunk', [...chunkedHead, '', 'x', ''], 'not well-formed HTTP/1.1'],
  ['headers of 20 KB', [...head, `X: ${'x'.repeat(20_000)}`, '', ''], 'at most 16 KB'],
] as const)('rejects %s with a problem, and closes the connection', async (_, lines, detail) => {
  const [response = '', text = ''] = (await rawRequest(port, lines)).split('\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1\.1 400 .*connection: close.*request-id: req_/s)
  const problem = { code: 'invalid_header', detail: expect.stringContaining(detail) }
  expect(JSON.parse(text)).toMatchObject(problem)
})

test.each([
  ['bytes that are not HTTP', 'GARBAGE\r\n\r\n', ['HTTP/1.1 201']],
  ['a request with a malformed chunk', [...chunkedHead, '', 'x', ''].join('\r\n'), null],
] as const)('sends no problem for %s in place of an earlier response', async (_, more, sent) => {
  const lines = [...head, length, 'Sandbox-Fault: delay=200', '', body + more]
  expect((await rawRequest(port, lines)).match(/HTTP\/1\.1 \d+/g)).toEqual(sent)
})

const admin = { authorization: `Bearer ${service.ready.adminToken}` }
const session = { origin: service.url, authorization: 'Bearer x' }
test.each([
  ['POST', '/payment-intents', {}],
  ['GET, HEAD', '/payment-intents/pi_x', {}],
  ['GET, HEAD, POST', '/checkout/pi_x', {}],
  ['POST', '/checkout-api/confirm', session],
  ['PUT', '/_sandbox/environments/x/clock', admin],
] as const)('allows only %s on %s', async (allow, path, headers) => {
  const response = await fetch(service.url + path, { method: 'PATCH', headers })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
})

const inLatin1 = Buffer.from(body.replace('A-', 'Ö-'), 'latin1')

test.each<[string, string | Buffer, string, string | null]>([
  ['no media type', Buffer.from(body), '415 unsupported_media_type', null],
  ['more than 64 KB', body + ' '.repeat(65_536), '413 payload_too_large', 'application/json'],
  ['compressed JSON', gzipSync(body), '400 malformed_json', 'application/json'],
  ['text that is no UTF-8', inLatin1, '400 malformed_json', 'application/json'],
  ['a prototype', '{"__proto__":{"amount":1}}', '400 malformed_json', 'application/json'],
])('rejects a body with %s', async (_, sent, problem, type) => {
  const authorization = `Bearer ${service.apiKey}`
  const headers = { authorization, ...(type && { 'content-type': type }) }
  const request = { method: 'POST', headers, body: new Blob([sent]) }
  const response = await fetch(`${service.url}/payment-intents`, request)
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(await problemOf(response)).toBe(problem)
})

test('keeps an idle connection longer than proxies and clients do', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

const proxied = await startTestService({ PI_PUBLIC_URL: 'https://pay.example.com' })
const token = `Authorization: Bearer ${proxied.ready.adminToken}`

test.each([
  [200, '10.0.0.5:4000', ['/healthz', '/readyz']],
  [400, 'service:4000', ['/docs', '/checkout/pi_x', '/v1/pi-checkout.js', '/_sandbox/']],
  [200, 'pay.example.com', ['/docs']],
  [404, 'pay.example.com', ['/_sandbox/', '/_sandbox/environments']],
])('returns %s behind a proxy to the Host %s for %j', async (status, host, paths) => {
  for (const path of paths) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, token]
    const response = await sendRaw(proxied.url, lines)
    expect(response.status, path).toBe(status)
  }
})

test('rejects with Retry-After when too many requests wait for the store', async () => {
  const app = createApp({ log: pino({ enabled: false }) })
  app.get('/', () => Promise.reject(new Overloaded()))
  const response = await app.inject('/')
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
  const detail = expect.stringContaining('This request was not run')
  expect(response.json()).toMatchObject({ code: 'store_unavailable', retryable: true, detail })
})
