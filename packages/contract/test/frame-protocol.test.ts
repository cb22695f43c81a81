import { expect, test } from 'vitest'
import { readFromElement, readFromFrame, readHello, readInit } from '../src/frame-protocol.ts'

const doc = 'A'.repeat(22)
const hello = { pi: 'checkout', t: 'hello', v: [1, 2], doc }
const init = { pi: 'checkout', t: 'init', v: 1, doc }

const page = `https://shop.example/#${'a'.repeat(8192)}`

/** Each message, as its reader returns it. */
const messages: readonly (readonly [(data: unknown) => unknown, object])[] = [
  [readHello, hello],
  [readHello, { ...hello, v: Array.from({ length: 16 }, () => 1), doc: 'A_-z'.repeat(16) }],
  [readInit, init],
  [readFromFrame, { t: 'ack' }],
  [readFromFrame, { t: 'ready' }],
  [readFromFrame, { t: 'leave' }],
  [readFromFrame, { t: 'renew' }],
  [readFromFrame, { t: 'finish' }],
  [readFromFrame, { t: 'cancel' }],
  [readFromFrame, { t: 'pong' }],
  [readFromFrame, { t: 'size', h: 1 }],
  [readFromFrame, { t: 'size', h: 5000 }],
  [readFromFrame, { t: 'busy', on: true }],
  [readFromFrame, { t: 'busy', on: false }],
  [readFromFrame, { t: 'fail', code: 'unauthorized' }],
  [readFromElement, { t: 'ping' }],
  [readFromElement, { t: 'config', locale: 'x'.repeat(64) }],
  [readFromElement, { t: 'config', locale: 'hy', appearance: 'a'.repeat(2048), shop: 'late' }],
  [readFromElement, { t: 'config', locale: 'hy', shop: 'failed' }],
  [readFromElement, { t: 'auth', id: 'i'.repeat(128), secret: 's'.repeat(512) }],
  [readFromElement, { t: 'left', page }],
]

test.each(messages)('%o reads the known fields of %j and drops the others', (read, message) => {
  expect(read({ ...message, url: 'x', status: 'succeeded' })).toEqual(message)
})

test('rounds a height up, keeps whole versions, and ignores another state of the shop', () => {
  expect(readFromFrame({ t: 'size', h: 600.2 })).toEqual({ t: 'size', h: 601 })
  expect(readHello({ ...hello, v: [1, 'x', 2] })).toEqual(hello)
  const config = { t: 'config', locale: 'hy' }
  expect(readFromElement({ ...config, shop: 'paid' })).toEqual(config)
})

test.each([{ accent: 'red' }, ['{}'], 1, null, 'a'.repeat(2049)])(
  'drops the appearance %j and keeps the locale',
  (appearance) => {
    const message = { t: 'config', locale: 'hy' }
    expect(readFromElement({ ...message, appearance })).toEqual(message)
  },
)

test.each([
  undefined,
  null,
  1,
  'hello',
  [],
  {},
  { t: 'paid' },
  { t: '__proto__' },
  { t: 'size', h: 0 },
  { t: 'size', h: -1 },
  { t: 'size', h: 5001 },
  { t: 'size', h: Number.NaN },
  { t: 'size', h: Number.POSITIVE_INFINITY },
  { t: 'size', h: '600' },
  { t: 'size', h: null },
  { t: 'busy', on: 1 },
  { t: 'fail' },
  { t: 'fail', code: 1 },
  { ...hello, pi: 'x' },
  { ...hello, t: 'x' },
  { ...hello, v: 1 },
  { ...hello, v: { length: 1 } },
  { ...hello, v: Array.from({ length: 17 }, () => 1) },
  ...[hello, init].flatMap((message) =>
    ['A'.repeat(15), 'A'.repeat(65), `${doc}!`, `!${doc}`, [doc], undefined].map((doc) => ({
      ...message,
      doc,
    })),
  ),
  { ...init, pi: 'x' },
  { ...init, t: 'x' },
  { ...init, v: '1' },
  { ...init, v: 1.5 },
  { t: 'config' },
  { t: 'config', locale: 'x'.repeat(65) },
  { t: 'config', locale: ['hy'] },
  { t: 'auth', id: 'a' },
  { t: 'auth', secret: 'b' },
  { t: 'auth', id: 'i'.repeat(129), secret: 'b' },
  { t: 'auth', id: 'a', secret: 's'.repeat(513) },
  { t: 'left', page: page.repeat(5) },
])('%j is no message', (data) => {
  const read = [readHello, readInit, readFromFrame, readFromElement].map((read) => read(data))
  expect(read).toEqual([undefined, undefined, undefined, undefined])
})
