import { gzipSync } from 'node:zlib'
import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
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
  expect(JSON.parse(text)).toMatchObject({
    code: 'invalid_header',
    detail: expect.stringContaining(detail),
  })
})

test.each([
  ['bytes that are not HTTP', 'GARBAGE\r\n\r\n', ['HTTP/1.1 201']],
  ['a request with a malformed chunk', [...chunkedHead, '', 'x', ''].join('\r\n'), null],
] as const)(
  'sends no problem for %s in place of an earlier response',
  async (_, more, statuses) => {
    const lines = [...head, length, 'Sandbox-Fault: delay=200', '', body + more]
    expect((await rawRequest(port, lines)).match(/HTTP\/1\.1 \d+/g)).toEqual(statuses)
  },
)

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
