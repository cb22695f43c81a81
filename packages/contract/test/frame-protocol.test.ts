import { expect, test } from 'vitest'
import { readFromElement, readFromFrame, readHello, readInit } from '../src/frame-protocol.ts'

const doc = 'A'.repeat(22)

test('copies known fields of the right type and drops the others', () => {
  expect(readHello({ pi: 'checkout', t: 'hello', v: [1, 'x', 2], doc, url: 'x' })).toEqual({
    pi: 'checkout',
    t: 'hello',
    v: [1, 2],
    doc,
  })
  expect(readInit({ pi: 'checkout', t: 'init', v: 1, doc, x: 1 })).toEqual({
    pi: 'checkout',
    t: 'init',
    v: 1,
    doc,
  })
  expect(readFromFrame({ t: 'finish', status: 'succeeded' })).toEqual({ t: 'finish' })
  expect(readFromElement({ t: 'auth', id: 'a', secret: 'b', c: 1 })).toEqual({
    t: 'auth',
    id: 'a',
    secret: 'b',
  })
})

test('reads addresses of 8,192 characters, and renew without a value', () => {
  const page = `https://shop.example/#${'a'.repeat(8192)}`
  expect(readFromElement({ t: 'left', page })).toEqual({ t: 'left', page })
  expect(readFromElement({ t: 'left', page: page.repeat(5) })).toBeUndefined()
  expect(readFromFrame({ t: 'renew', secret: 'x' })).toEqual({ t: 'renew' })
})

test('rounds a height up and rejects one out of range', () => {
  expect(readFromFrame({ t: 'size', h: 600.2 })).toEqual({ t: 'size', h: 601 })
  for (const h of [0, -1, 5001, Number.NaN, Number.POSITIVE_INFINITY, '600', null]) {
    expect(readFromFrame({ t: 'size', h })).toBeUndefined()
  }
})

test('returns undefined for anything but a message', () => {
  for (const data of [
    undefined,
    null,
    1,
    'hello',
    [],
    {},
    { t: 'paid' },
    { t: '__proto__' },
    { t: 'busy', on: 1 },
  ]) {
    expect([readHello(data), readInit(data), readFromFrame(data), readFromElement(data)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  }
})
