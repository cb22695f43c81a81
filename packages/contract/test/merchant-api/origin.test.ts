import { expect, test } from 'vitest'
import { isLoopback, readOrigin } from '../../src/merchant-api/origin.ts'

test.each([
  'https://pay.example',
  'https://pay.example:8443',
  'https://xn--80ak6aa92e.example',
  'https://[2001:db8::1]',
  'http://localhost:3000',
  'http://shop.localhost',
  'http://127.0.0.1:4000',
  'http://127.255.255.254',
  'http://[::1]:4000',
])('%s is an origin', (origin) => {
  expect(readOrigin(origin)).toBe(origin)
})

for (const value of [
  'http://pay.example',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'https://pay.example/',
  'https://pay.example/checkout',
  'https://pay.example?a=b',
  'https://user@pay.example',
  'https://PAY.example',
  'https://pay.example:443',
  'https://*',
  'https://*.pay.example',
  "https://'self'",
  'https://pay.example;script-src',
  'https://pay.example,evil',
  'ftp://pay.example',
  'javascript:alert(1)',
  'null',
  '',
  undefined,
  null,
  new URL('https://pay.example'),
]) {
  test(`${value} is no origin`, () => {
    expect(readOrigin(value)).toBeUndefined()
  })
}

test('loopback host names are accepted, similar names are not', () => {
  const names = ['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]']
  expect(names.filter(isLoopback)).toEqual(names)
  const similar = ['localhost.example', 'notlocalhost', '128.0.0.1', '0.0.0.0']
  expect(similar.filter(isLoopback)).toEqual([])
})
