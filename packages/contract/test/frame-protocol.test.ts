import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readFromElement, readFromFrame, readHello, readInit } from '../src/frame-protocol.ts'

const doc = 'A'.repeat(22)

test('known fields of the right type are copied, everything else is dropped', () => {
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

test('reads addresses of 8,192 characters, and a request for the pair without a value', () => {
  const page = `https://shop.example/#${'a'.repeat(8192)}`
  expect(readFromElement({ t: 'left', page })).toEqual({ t: 'left', page })
  expect(readFromElement({ t: 'left', page: page.repeat(5) })).toBeUndefined()
  expect(readFromFrame({ t: 'renew', secret: 'x' })).toEqual({ t: 'renew' })
})

test('a height is rounded up and kept within bounds', () => {
  expect(readFromFrame({ t: 'size', h: 600.2 })).toEqual({ t: 'size', h: 601 })
  for (const h of [0, -1, 5001, Number.NaN, Number.POSITIVE_INFINITY, '600', null]) {
    expect(readFromFrame({ t: 'size', h })).toBeUndefined()
  }
})

test('what is no message reads as none', () => {
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

test('browsers get no zod with the protocol and the money', () => {
  for (const file of ['frame-protocol.ts', 'money.ts']) {
    expect(readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')).not.toMatch(
      /^import /m,
    )
  }
})
