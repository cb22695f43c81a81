import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

const json = '{"orderId":"A-1","amount":150000,"currency":"AMD"}'

test('rejects two Authorization headers, and keys outside of a bearer token (threat 11)', async ({
  stack,
}) => {
  const { apiKey } = stack.api
  const good = `Authorization: Bearer ${apiKey}`
  const rejected: Record<string, readonly string[]> = {
    'two equal ones': [good, good],
    'a good one first': [good, 'authorization: Bearer x'],
    'a good one last': ['AUTHORIZATION: Bearer x', good],
    Basic: [`Authorization: Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`],
    'no scheme': [`Authorization: ${apiKey}`],
    'a comma list': [`Authorization: Bearer ${apiKey}, Bearer ${apiKey}`],
    'another header': [`X-Api-Key: ${apiKey}`],
  }
  for (const [name, headers] of Object.entries(rejected)) {
    expect(status(await post(stack, headers)), name).toMatch(/^(?:400|401)$/)
  }
  const query = await rawRequest(portOf(stack), [
    `GET /payment-intents/pi_x?api_key=${apiKey} HTTP/1.1`,
    ...[host(stack), 'Connection: close', '', ''],
  ])
  expect(status(query)).toMatch(/^4/)
  expect(status(await post(stack, [good]))).toBe('201')
})

test('rejects a repeated, folded, empty, long, or unprintable Idempotency-Key (threat 21)', async ({
  stack,
}) => {
  const good = `Authorization: Bearer ${stack.api.apiKey}`
  const rejected: Record<string, readonly string[]> = {
    twice: ['Idempotency-Key: a', 'Idempotency-Key: a'],
    'twice in another case': ['Idempotency-Key: a', 'idempotency-key: b'],
    empty: ['Idempotency-Key: '],
    blank: ['Idempotency-Key: \t '],
    '256 characters': [`Idempotency-Key: ${'k'.repeat(256)}`],
    'a folded line': ['Idempotency-Key: a', ' b'],
    'a bare line feed': ['Idempotency-Key: a\nX-Evil: b'],
    'a bare carriage return': ['Idempotency-Key: a\rb'],
    'a NUL': ['Idempotency-Key: a\0b'],
    'Latin 1': ['Idempotency-Key: caf\xe9'],
    'inner spaces': ['Idempotency-Key: a b'],
    'an open quote': ['Idempotency-Key: "a'],
  }
  const taken: string[] = []
  for (const [name, headers] of Object.entries(rejected)) {
    if (status(await post(stack, [good, ...headers])) !== '400') taken.push(name)
  }
  expect(taken).toEqual([])
  const bare = await post(stack, [good, 'Idempotency-Key: same-key'])
  const quoted = await post(stack, [good, 'Idempotency-Key: "same-key"'])
  expect(status(bare)).toBe('201')
  expect(quoted).toContain('dempotent-')
  expect(idOf(quoted)).toBe(idOf(bare))
})

test('returns one 4xx to smuggled lengths, odd methods, and odd paths (threat 30)', async ({
  stack,
}) => {
  const good = `Authorization: Bearer ${stack.api.apiKey}`
  const localHost = host(stack)
  const odd: Record<string, readonly string[]> = {
    'two lengths': [
      ...['POST /payment-intents HTTP/1.1', localHost, good, 'Content-Type: application/json'],
      ...['Content-Length: 5', 'Content-Length: 6', '', '{}'],
    ],
    'length and chunks': [
      ...['POST /payment-intents HTTP/1.1', localHost, good, 'Content-Type: application/json'],
      ...[
        'Content-Length: 4',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
        'GET /x HTTP/1.1',
        '',
        '',
      ],
    ],
    'no Host': ['GET /payment-intents/pi_x HTTP/1.1', 'Connection: close', '', ''],
    'a name with a space': ['GET /payment-intents/x HTTP/1.1', localHost, 'A B: c', '', ''],
  }
  for (const line of [
    ...['TRACE /payment-intents', 'PUT /payment-intents', 'DELETE /payment-intents/pi_x'],
    ...['GET /PAYMENT-INTENTS/pi_x', 'GET /payment-intents/pi_x/', 'GET /payment-intents/%ff'],
    ...['GET /payment-intents/a%2fb', 'GET //payment-intents', 'GET /checkout/%ff'],
    ...[
      'GET /checkout/a/b',
      'GET /checkout-assets/%ff',
      'GET /checkout-assets/..%2f..%2fpackage.json',
    ],
    ...['POST /checkout/x', 'PATCH /checkout-api/session', 'GET /checkout-api/%00'],
    ...['GET /_sandbox/%ff', 'BREW /payment-intents'],
  ]) {
    odd[line] = [`${line} HTTP/1.1`, localHost, good, 'Connection: close', '', '']
  }
  const wrong: string[] = []
  for (const [name, lines] of Object.entries(odd)) {
    const response = await rawRequest(portOf(stack), lines)
    const statusLines = response.match(/^HTTP\/1\.1 \d{3}/gm) ?? []
    if (statusLines.length !== 1 || !/^4\d\d$/.test(status(response))) {
      wrong.push(`${name}: ${statusLines.join(', ') || 'nothing'}`)
    }
  }
  expect(wrong).toEqual([])
})

function post(stack: CrossSiteStack, headers: readonly string[]): Promise<string> {
  return rawRequest(portOf(stack), [
    ...['POST /payment-intents HTTP/1.1', host(stack), 'Content-Type: application/json'],
    ...[`Content-Length: ${json.length}`, 'Connection: close', ...headers, '', json],
  ])
}

function portOf({ api }: CrossSiteStack): string {
  return new URL(api.baseUrl).port
}

function host(stack: CrossSiteStack): string {
  return `Host: 127.0.0.1:${portOf(stack)}`
}

function status(response: string): string {
  return /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 'none'
}

function idOf(response: string): string | undefined {
  return /"id":"(pi_\w+)"/.exec(response)?.[1]
}
