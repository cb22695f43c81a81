import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { singleHeader } from '../../src/http/single-header.ts'

function message(value: string | undefined, ...rawHeaders: string[]): IncomingMessage {
  return { headers: { 'x-key': value }, rawHeaders } as unknown as IncomingMessage
}

test.each([
  [undefined, []],
  ['1', ['X-KEY', '1']],
  ['1', ['x-kex', '1', 'X-Key', '1', 'x-keys', '2', 'Referer', 'x-key']],
])('reads %s from %j', (value, raw) => {
  expect(singleHeader(message(value, ...raw), 'x-key')).toBe(value)
})

test('rejects a repeated header with the code of its route', () => {
  const repeated = message('1, 2', 'X-Key', '1', 'host', 'x', 'x-key', '2')
  const text = 'x-key was sent 2 times. Send it once.'
  expect(() => singleHeader(repeated, 'x-key')).toThrow(
    expect.objectContaining({ code: 'invalid_header', message: text }),
  )
  expect(() => singleHeader(repeated, 'x-key', 'invalid_idempotency_key')).toThrow(
    expect.objectContaining({ code: 'invalid_idempotency_key', message: text }),
  )
})
