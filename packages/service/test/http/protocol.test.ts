import { once } from 'node:events'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { openSocket, rawRequest } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { created, order, problemOf, sendRaw, startTestService } from '../support/service.ts'

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

test('rejects a repeated header that must appear once (threat 21)', async () => {
  const paths = ['/payment-intents/pi_x', '/docs', '/checkout/pi_x', '/healthz']
  const repeated = [
    ...paths.flatMap((path) =>
      [hostLine, 'host: other.example'].map((second) => [path, hostLine, second, apiKey]),
    ),
    ...['/payment-intents/pi_x', '/_sandbox/environments', '/checkout-api/intent'].map((path) => [
      path,
      hostLine,
      `Authorization: Bearer ${service.ready.adminToken}`,
      apiKey,
    ]),
  ]
  for (const [path = '', ...headers] of repeated) {
    expect(await problemOf(await get(path, ...headers)), headers.join()).toBe('400 invalid_header')
  }
  expect(await problemOf(await post([jsonType, jsonType, length]))).toBe('400 invalid_header')
})

test('reads the headers after a thousand others (threat 21)', async () => {
  const others = Array.from({ length: 1500 }, () => 'a:b')
  const headers = [...others, jsonType, length, 'Idempotency-Key: after-many']
  const ids = []
  for (const response of [await post(headers), await post(headers)]) {
    ids.push(((await response.json()) as { id: string }).id)
  }
  expect(ids[1]).toBe(ids[0])
  const repeated = await post([...headers, 'Idempotency-Key: 2'])
  expect(await problemOf(repeated)).toBe('400 invalid_idempotency_key')
})

test('rejects a malformed or missing Host and an unknown expectation as a problem', async () => {
  for (const headers of [
    ...['a b', 'user@host', 'a/b', 'a?b'].map((wrong) => [`Host: ${wrong}`, apiKey]),
    [apiKey],
    [hostLine, apiKey, 'Expect: a-miracle'],
  ]) {
    const response = await get('/payment-intents/pi_x', ...headers)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'request-id': expect.stringMatching(/^req_[A-Za-z0-9]{20}$/),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(await problemOf(response), headers.join()).toBe('400 invalid_header')
  }
  const old = await sendRaw(service.url, ['GET /payment-intents/pi_x HTTP/1.0'])
  expect(old.status).toBe(401)
})

test('takes the host of an address in absolute form instead of the header', async () => {
  const lines = [`POST http://${host}/payment-intents HTTP/1.1`, hostLine, apiKey, jsonType, length]
  const made = await sendRaw(service.url, lines, body)
  expect(made.status).toBe(201)
  const { id } = (await made.json()) as { id: string }
  const address = `http://${host}/payment-intents/${id}?x=1`
  expect((await get(address, 'Host: other.example', apiKey)).status).toBe(200)
  expect(await problemOf(await get('http://other.example/docs', hostLine))).toBe('400 invalid_host')
})

test('takes a host name and an authentication scheme in upper case', async () => {
  expect((await get('/docs', `Host: LOCALHOST:${port}`)).status).toBe(200)
  const page = new HostedPage(service)
  await page.open(await created(service))
  const upper = [`Host: Localhost:${port}`, `Authorization: BEARER ${page.token}`]
  const site = [`Origin: http://localhost:${port}`, 'Sec-Fetch-Site: same-origin']
  expect((await get('/checkout-api/intent', ...upper, ...site)).status).toBe(200)
})

test('rejects a transfer coding other than chunked, without a line in the log', async () => {
  for (const coding of ['gzip, chunked', 'identity, chunked']) {
    const response = await post([jsonType, `Transfer-Encoding: ${coding}`], '0\r\n\r\n')
    expect(await problemOf(response)).toBe('501 unsupported_transfer_encoding')
  }
  const twice = await post([jsonType, 'Transfer-Encoding: chunked, chunked'], '0\r\n\r\n')
  expect(twice.status).toBeGreaterThanOrEqual(400)
  expect(service.logged).toEqual([])
})

test.each([
  ['an invalid API key', ['Authorization: Bearer wrong', jsonType, 'Content-Length: 5'], 401],
  ['a body that is too large', [apiKey, jsonType, 'Content-Length: 99999999'], 413],
  ['another media type', [apiKey, 'Content-Type: text/plain', 'Content-Length: 5'], 415],
] as const)('sends no 100 Continue to a request with %s', async (_, headers, status) => {
  const lines = ['POST /payment-intents HTTP/1.1', hostLine, 'Expect: 100-continue', ...headers]
  expect((await sendRaw(service.url, lines)).status).toBe(status)
})

test('sends 100 Continue before it reads a body', async () => {
  const socket = await openSocket(port)
  socket.setEncoding('utf8')
  const lines = ['POST /payment-intents HTTP/1.1', hostLine, apiKey, jsonType, length]
  socket.write([...lines, 'Expect: 100-continue', 'Connection: close', '', ''].join('\r\n'))
  expect(await once(socket, 'data')).toEqual(['HTTP/1.1 100 Continue\r\n\r\n'])
  socket.write(body)
  expect(await once(socket, 'data')).toEqual([expect.stringMatching(/^HTTP\/1\.1 201 /)])
  socket.destroy()
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
  ['PUT, DELETE', '/_sandbox/environments/x/clock', admin],
] as const)('allows only %s on %s (threat 30)', async (allow, path, headers) => {
  const response = await fetch(service.url + path, { method: 'PATCH', headers })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
})

test('disconnects a client whose body has more than 256 chunks (threat 27)', async () => {
  const chunked = 'Transfer-Encoding: chunked'
  const post = (path: string, ...headers: string[]): string =>
    [`POST ${path} HTTP/1.1`, hostLine, jsonType, chunked, ...headers, '', ''].join('\r\n')
  for (const head of [
    post('/payment-intents', apiKey),
    post('/checkout-api/session', `Origin: ${service.url}`),
  ]) {
    const socket = await openSocket(port)
    socket.write(head + '1\r\n \r\n'.repeat(257))
    // An incomplete request would end after ten seconds.
    await expect.poll(() => socket.destroyed, { timeout: 5000 }).toBe(true)
  }
  const padding = '1\r\n \r\n'.repeat(254)
  const size = body.length.toString(16)
  const head = post('/payment-intents', apiKey, 'Connection: close')
  const response = await rawRequest(port, `${head}${padding}${size}\r\n${body}\r\n0\r\n\r\n`)
  expect(response).toMatch(/^HTTP\/1\.1 201 /)
})
