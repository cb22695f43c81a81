import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { jsonBody } from '../../src/http/body.ts'
import { json } from '../../src/http/response.ts'
import { serveHandlers } from '../support/lifetime.ts'

const origin = await serveHandlers({
  create: async ({ request }) => json({ body: await jsonBody(request) }),
  confirm: async ({ request }) => json({ body: await jsonBody(request, { maxBytes: 16 }) }),
})
const type = { 'content-type': 'application/json' }
const [usual, small] = [`${origin}/payment-intents`, `${origin}/checkout-api/confirm`]

async function post(url: string, text: string, headers: Record<string, string> = type) {
  return await fetch(url, { method: 'POST', headers, body: new TextEncoder().encode(text) })
}

/** Sends a body in chunks, without a Content-Length. */
async function postChunks(url: string, ...chunks: string[]): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers: type })
  for (const chunk of chunks) sent.write(chunk)
  const [response] = await once(sent.end(), 'response')
  response.resume()
  return response.statusCode
}

test.each([
  { 'content-type': 'application/json;' },
  { 'content-type': 'Application/JSON ; ;charset="UTF-8"' },
  { 'content-type': 'application/json; charset=utf-8' },
  { ...type, 'content-encoding': 'IDENTITY' },
])('reads JSON with %j', async (headers) => {
  expect(await (await post(usual, '{"a":[1]}', headers)).json()).toEqual({ body: { a: [1] } })
})

test.each([
  '',
  'text/plain',
  'text/plain, application/json',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=utf-16',
  undefined,
])('rejects the media type %j (threat 27)', async (sent) => {
  const headers = sent === undefined ? {} : { 'content-type': sent }
  const response = await post(usual, '{}', headers)
  expect(response.headers.get('accept-post')).toBe('application/json')
  expect(await response.json()).toMatchObject({
    status: 415,
    code: 'unsupported_media_type',
    detail: 'Content-Type must be application/json, with no charset other than utf-8.',
  })
})

test('rejects a compressed body (threat 27)', async () => {
  const response = await post(usual, '{}', { ...type, 'content-encoding': 'gzip' })
  expect(response.headers.get('accept-encoding')).toBe('identity')
  expect(await response.json()).toMatchObject({
    status: 415,
    code: 'unsupported_media_type',
    detail: 'Content-Encoding is not supported. Send the body uncompressed.',
  })
})

test.each([
  [65_536, usual],
  [16, small],
] as const)('reads %s bytes, and no more', async (max, url) => {
  const longest = '[1]'.padEnd(max)
  expect(await (await post(url, longest)).json()).toEqual({ body: [1] })
  expect(await postChunks(url, '[', longest.slice(1))).toBe(200)
  expect(await postChunks(url, longest, ' ')).toBe(413)
  expect(await (await post(url, `${longest} `)).json()).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    detail: `The body must be at most ${max} bytes.`,
  })
})

test('rejects a body that is too large before it arrives', async () => {
  const headers = { ...type, 'content-length': '17' }
  const sent = request(small, { method: 'POST', headers }).on('error', () => {})
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  expect(response.statusCode).toBe(413)
  sent.destroy()
})
