import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawAnswer, rawRequest } from '../support/raw-request.ts'
import { order, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let host: string

beforeAll(async () => {
  service = await startTestService()
  host = new URL(service.url).host
})

afterAll(async () => await service.stop())

const body = JSON.stringify(order)

function post(headers: readonly string[], content = body): Promise<Response> {
  const lines = ['POST /payment-intents HTTP/1.1', ...key(), ...headers]
  return rawAnswer(service.url, lines, content)
}

function key(): readonly string[] {
  return [`Authorization: Bearer ${service.apiKey}`]
}

async function codeOf(answer: Response): Promise<readonly [number, string]> {
  const { code } = (await answer.json()) as { code: string }
  return [answer.status, code]
}

test('rejects two Host headers, on every path', async () => {
  for (const path of ['/payment-intents/pi_x', '/docs', '/checkout/pi_x', '/healthz']) {
    for (const second of [`Host: ${host}`, 'host: other.example']) {
      const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, second, ...key()]
      expect(await codeOf(await rawAnswer(service.url, lines))).toEqual([400, 'invalid_header'])
    }
  }
})

test('rejects a Host that is no host', async () => {
  for (const wrong of ['a b', 'user@host', 'a/b', 'a?b']) {
    const lines = ['GET /payment-intents/pi_x HTTP/1.1', `Host: ${wrong}`, ...key()]
    expect(await codeOf(await rawAnswer(service.url, lines))).toEqual([400, 'invalid_header'])
  }
})

test('takes an address in its absolute form, whose host counts instead of the header', async () => {
  const made = await rawAnswer(
    service.url,
    [
      `POST http://${host}/payment-intents HTTP/1.1`,
      ...[`Host: ${host}`, ...key(), 'Content-Type: application/json'],
      `Content-Length: ${body.length}`,
    ],
    body,
  )
  expect(made.status).toBe(201)
  const { id } = (await made.json()) as { id: string }
  const read = await rawAnswer(service.url, [
    `GET http://${host}/payment-intents/${id}?x=1 HTTP/1.1`,
    ...['Host: other.example', ...key()],
  ])
  expect(read.status).toBe(200)
  const page = await rawAnswer(service.url, [
    `GET http://other.example/docs HTTP/1.1`,
    `Host: ${host}`,
  ])
  expect(await codeOf(page)).toEqual([400, 'invalid_host'])
})

test('rejects a transfer coding other than chunked', async () => {
  for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked']) {
    const headers = [
      `Host: ${host}`,
      'Content-Type: application/json',
      `Transfer-Encoding: ${coding}`,
    ]
    const [status] = await codeOf(await post(headers, '0\r\n\r\n'))
    expect([coding, status]).toEqual([coding, coding === 'chunked, chunked' ? status : 501])
    expect(status).toBeGreaterThanOrEqual(400)
  }
})

test('logs no error for a transfer coding that a client chose', async () => {
  const lines: string[] = []
  const other = await startTestService(
    {},
    pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
  )
  const headers = ['Host: 127.0.0.1', 'Transfer-Encoding: gzip, chunked']
  const request = ['POST /payment-intents HTTP/1.1', ...headers]
  const answer = await rawAnswer(other.url, request, '0\r\n\r\n')
  await other.stop()
  expect([answer.status, lines]).toEqual([501, []])
})

test('asks for a body with 100 Continue only when it will read it', async () => {
  const expectations: readonly (readonly [string, readonly string[], string])[] = [
    ['a wrong key', ['Authorization: Bearer wrong', 'Content-Length: 5'], '401'],
    ['a body that is too large', [...key(), 'Content-Length: 99999999'], '413'],
    ['another media type', [...key(), 'Content-Type: text/plain', 'Content-Length: 5'], '415'],
  ]
  for (const [what, headers, status] of expectations) {
    const type = headers.some((each) => each.startsWith('Content-Type'))
      ? []
      : ['Content-Type: application/json']
    const answer = await rawRequest(service.url, [
      ...['POST /payment-intents HTTP/1.1', `Host: ${host}`, 'Expect: 100-continue'],
      ...[...type, ...headers],
    ])
    expect([what, answer.slice(0, 12)]).toEqual([what, `HTTP/1.1 ${status}`])
  }

  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.setEncoding('utf8')
  const lines = [
    ...['POST /payment-intents HTTP/1.1', `Host: ${host}`, 'Expect: 100-continue', ...key()],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'],
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [asked] = await once(socket, 'data')
  expect(asked).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(body)
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  socket.destroy()
})

test('asks for a form with 100 Continue at the challenge listener too', async () => {
  const made = await fetch(`${service.url}/payment-intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body,
  })
  const { id, clientSecret } = (await made.json()) as { id: string; clientSecret: string }
  const call = async (path: string, sent: object, token = ''): Promise<Record<string, string>> => {
    const answer = await fetch(`${service.url}/checkout-api/${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', origin: service.url },
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(sent),
    })
    return (await answer.json()) as Record<string, string>
  }
  const { token } = await call('session', { id, clientSecret, origin: 'http://localhost:3000' })
  const card = { number: '4000000000003220', expMonth: 12, expYear: 2034, cvc: '123' }
  const confirm = { attemptId: 'a'.repeat(16), version: 1, paymentMethod: { type: 'card', card } }
  await call('confirm', confirm, token)
  const { url = '' } = await call('challenge/open', {}, token)
  const answer = await rawRequest(
    url,
    [
      ...['POST /challenge HTTP/1.1', `Host: ${new URL(url).host}`, 'Expect: 100-continue'],
      ...['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 7'],
    ],
    'token=x',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
})

test('names the methods of a path to a request with another one', async () => {
  const admin = { authorization: `Bearer ${service.ready.adminToken}` }
  const session = { origin: service.url, authorization: 'Bearer x' }
  const paths: readonly (readonly [
    path: string,
    allow: string,
    headers?: Record<string, string>,
  ])[] = [
    ...['/docs', '/docs.css', '/openapi.json', '/healthz', '/readyz', '/favicon.ico'].map(
      (path) => [path, 'GET, HEAD'] as const,
    ),
    ...['/v1/pi-checkout.js', '/checkout/pi_x', '/checkout-assets/x.js'].map(
      (path) => [path, 'GET, HEAD'] as const,
    ),
    ...['session', 'confirm', 'cancel', 'challenge/open', 'challenge/cancel', 'reports'].map(
      (path) => [`/checkout-api/${path}`, 'POST', session] as const,
    ),
    ['/checkout-api/intent', 'GET, HEAD', session],
    ...['/environments', '/export', '/events', '/intents/pi_x'].map(
      (path) => [`/_sandbox${path}`, 'GET, HEAD', admin] as const,
    ),
    ...['/import', '/reset', '/intents/pi_x/settle', '/intents/pi_x/revoke-secret'].map(
      (path) => [`/_sandbox${path}`, 'POST', admin] as const,
    ),
    ['/_sandbox/environments/x/clock', 'PUT, DELETE', admin],
    ['/_sandbox/environments/x/lint', 'GET, HEAD, DELETE', admin],
  ]
  for (const [path, allow, headers = {}] of paths) {
    const answer = await fetch(service.url + path, { method: 'PATCH', headers })
    const found = [path, answer.status, answer.headers.get('allow')]
    expect(found).toEqual([path, 405, allow])
  }
})

test('names the media type and the content coding that it takes', async () => {
  const type = await post([`Host: ${host}`, 'Content-Type: text/plain', 'Content-Length: 2'], '{}')
  expect([type.status, type.headers.get('accept-post')]).toEqual([415, 'application/json'])
  const coding = await post(
    [
      ...[`Host: ${host}`, 'Content-Type: application/json', 'Content-Encoding: br'],
      'Content-Length: 2',
    ],
    '{}',
  )
  expect([coding.status, coding.headers.get('accept-encoding')]).toEqual([415, 'identity'])
})

for (const headers of [
  ['Content-Type: application/json;'],
  ['Content-Type: Application/JSON ; ;charset="UTF-8"'],
  ['Content-Type: application/json', 'Content-Encoding: IDENTITY'],
]) {
  test(`takes JSON under the headers ${headers.join(', ')}`, async () => {
    const answer = await post([`Host: ${host}`, ...headers, `Content-Length: ${body.length}`])
    expect(answer.status).toBe(201)
  })
}

test('says invalid_token only to a request that sent a credential', async () => {
  const get = (path: string, headers: readonly string[]): Promise<Response> =>
    rawAnswer(service.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers])
  const wrong = ['Authorization: Bearer wrong']
  const challenge = async (path: string, headers: readonly string[]) =>
    (await get(path, headers)).headers.get('www-authenticate')
  expect(await challenge('/payment-intents/pi_x', [])).toBe('Bearer')
  expect(await challenge('/payment-intents/pi_x', wrong)).toBe('Bearer error="invalid_token"')
  expect(await challenge('/_sandbox/environments', [])).toBe('Bearer')
  expect(await challenge('/_sandbox/environments', wrong)).toBe('Bearer error="invalid_token"')
})

test('rejects two Authorization headers at the sandbox and at the private API', async () => {
  const two = [`Authorization: Bearer ${service.ready.adminToken}`, 'Authorization: Bearer x']
  for (const path of ['/_sandbox/environments', '/checkout-api/intent']) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...two]
    expect(await codeOf(await rawAnswer(service.url, lines))).toEqual([400, 'invalid_header'])
  }
})
