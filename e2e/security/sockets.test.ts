import { rawRequest, statusOf } from '@pi-checkout/test-support/raw-http'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

const json = '{"orderId":"A-1","amount":150000,"currency":"AMD"}'

test('rejects two Authorization headers, and keys outside of a bearer token (threat 11)', async ({
  stack,
}) => {
  const { apiKey } = stack.api
  const good = `Authorization: Bearer ${apiKey}`
  const create = async (query: string, ...headers: readonly string[]): Promise<number> =>
    await send(stack, `POST /payment-intents${query}`, [
      'Content-Type: application/json',
      `Content-Length: ${json.length}`,
      ...headers,
      '',
      json,
    ])
  for (const headers of [
    ...[
      [good, good],
      [good, 'authorization: Bearer x'],
      ['AUTHORIZATION: Bearer x', good],
    ],
    [`Authorization: Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`],
    ...[[`Authorization: ${apiKey}`], [`${good}, Bearer ${apiKey}`], [`X-Api-Key: ${apiKey}`]],
  ]) {
    expect([400, 401], headers.join()).toContain(await create('', ...headers))
  }
  expect(await create(`?api_key=${apiKey}`)).toBe(401)
  expect(await create('', good)).toBe(201)
})

test('returns one 4xx to smuggled lengths, odd methods, and odd paths (threat 30)', async ({
  stack,
}) => {
  const good = `Authorization: Bearer ${stack.api.apiKey}`
  const body = [good, 'Content-Type: application/json', 'Content-Length: 4']
  const smuggled = ['', '0', '', 'GET /x HTTP/1.1', '', '']
  for (const [line, headers] of [
    ['POST /payment-intents', [...body, 'Content-Length: 6', '', '{}']],
    ['POST /payment-intents', [...body, 'Transfer-Encoding: chunked', ...smuggled]],
    ['GET /payment-intents/x', [good, 'A B: c', '', '']],
    ...[
      'TRACE /payment-intents',
      'BREW /payment-intents',
      'GET /payment-intents/a%2fb',
      'GET //payment-intents',
      'GET /checkout/%ff',
      'GET /checkout-api/%00',
      'GET /checkout-assets/..%2f..%2fpackage.json',
      'GET /_sandbox/%ff',
    ].map((line) => [line, [good, '', '']] as const),
  ] as const) {
    const status = await send(stack, line, headers)
    expect([status >= 400, status < 500], `${line}: ${status}`).toEqual([true, true])
  }
})

/** Returns the status of the response, or 0 if it is not the only one. */
async function send(
  { api }: CrossSiteStack,
  line: string,
  headers: readonly string[],
): Promise<number> {
  const { port } = new URL(api.baseUrl)
  const head = [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close']
  const response = await rawRequest(port, [...head, ...headers])
  return response.match(/^HTTP\/1\.1 \d{3}/gm)?.length === 1 ? statusOf(response) : 0
}
