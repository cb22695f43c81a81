import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { order, startTestService } from '../support/service.ts'

const { url, apiKey } = await startTestService()
const json = JSON.stringify(order)
const spaces = ' '.repeat(65_536)

test.each<[string, string | Uint8Array<ArrayBuffer>, string, number, string]>([
  ['no media type', new TextEncoder().encode(json), '', 415, 'unsupported_media_type'],
  ['more than 64 KB', json + spaces, 'application/json', 413, 'payload_too_large'],
  ['compressed JSON', new Uint8Array(gzipSync(json)), 'application/json', 400, 'malformed_json'],
  [
    'text that is no UTF-8',
    new Uint8Array(Buffer.from(json.replace('A-', 'Ö-'), 'latin1')),
    'application/json',
    400,
    'malformed_json',
  ],
  ['a prototype', '{"__proto__":{"amount":1}}', 'application/json', 400, 'malformed_json'],
])('rejects a body with %s', async (_, body, type, status, code) => {
  const headers = { authorization: `Bearer ${apiKey}`, ...(type && { 'content-type': type }) }
  const response = await fetch(`${url}/payment-intents`, { method: 'POST', headers, body })
  const problem = (await response.json()) as { readonly code: string }
  expect([response.status, problem.code]).toEqual([status, code])
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
})
