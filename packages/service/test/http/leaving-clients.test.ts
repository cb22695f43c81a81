import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { leaveAtAnyByte } from '@pi-checkout/test-support/leaving-client'
import { expect, test } from 'vitest'
import { order, startProcess } from '../support/service.ts'

const shop = 'http://localhost:3000'
const service = await startProcess(['--memory'])
const { hostname: host, port, host: hostAndPort } = new URL(service.url)
const { id, clientSecret } = await service.created()
const page = new HostedPage(service)
await page.open({ id, clientSecret }, shop)

const json = 'Content-Type: application/json'
const body = JSON.stringify(order)
const apiKey = `Authorization: Bearer ${service.apiKey}`
const session = `Authorization: Bearer ${page.token}`
const admin = `Authorization: Bearer ${service.ready.adminToken}`
const origin = `Origin: ${service.url}`

function message(line: string, headers: readonly string[], content = ''): string {
  const head = [`${line} HTTP/1.1`, `Host: ${hostAndPort}`, 'Connection: close', ...headers]
  return [...head, '', content].join('\r\n')
}

const get = (path: string, ...headers: string[]) => message(`GET ${path}`, headers)
const post = (path: string, content: string, ...headers: string[]) =>
  message(`POST ${path}`, [json, `Content-Length: ${content.length}`, ...headers], content)
const create = post('/payment-intents', body, apiKey)
const chunks = [body.slice(0, 9), body.slice(9), '']
const chunkedBody = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
const chunkedHead = [apiKey, json, 'Transfer-Encoding: chunked']
const chunked = message('POST /payment-intents', chunkedHead, chunkedBody.join(''))

test.each([
  ['the merchant API', [create, chunked, get(`/payment-intents/${id}`, apiKey)], []],
  [
    'the hosted page and its API',
    [
      get('/v1/pi-checkout.js'),
      get(`/checkout/${id}`, `Referer: ${shop}/`),
      post('/checkout-api/session', JSON.stringify({ id, clientSecret, origin: shop }), origin),
      get('/checkout-api/intent', session),
      post('/checkout-api/confirm', '{"confirmationId":"too short"}', origin, session),
    ],
    [get('/checkout-api/intent?waitForVersion=2', session)],
  ],
  ['the sandbox', [get('/_sandbox/environments', admin), get('/docs'), get('/healthz')], []],
] as const)(
  'serves on, and logs no error, after clients leave at any byte of %s',
  async (_, requests, endless) => {
    const before = service.log.length
    const serves = async () => await service.created()
    const visits = { host, port: Number(port), serves, requests, endless }
    const failure = await leaveAtAnyByte(visits).catch(String)
    // A client that leaves is no failure of the service.
    const errors = service.log.slice(before).filter((line) => !/"level":(?:30|40)\b/.test(line))
    expect([failure, service.child.exitCode, errors]).toEqual([undefined, null, []])
  },
)

test('stops in order after clients have left', async () => {
  expect(await service.stop()).toBe(0)
})
