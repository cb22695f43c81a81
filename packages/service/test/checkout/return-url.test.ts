import { expect, test } from 'vitest'
import { readReturnUrl } from '../../src/checkout/return-url.ts'

const registered = ['https://shop.example', 'http://localhost:3000', 'http://shop.example']
const longest = `https://shop.example/#${'a'.repeat(8192 - 22)}`

test.each([
  ['https://shop.example/checkout', 'https://shop.example/checkout'],
  ['https://shop.example/?a=%20b+c&sign=%2B~%e2', 'https://shop.example/?a=%20b+c&sign=%2B~%e2'],
  ['https://shop.example/#/pay?id=1|2', 'https://shop.example/#/pay?id=1|2'],
  ['https://shop.example/цена', 'https://shop.example/%D1%86%D0%B5%D0%BD%D0%B0'],
  ['https://shop.example', 'https://shop.example/'],
  ['https://SHOP.example/a', 'https://shop.example/a'],
  ['https://shop.example:443/a', 'https://shop.example/a'],
  ['http://localhost:3000/orders/A-1', 'http://localhost:3000/orders/A-1'],
  [longest, longest],
] as const)('accepts %s', (text, kept) => {
  expect(readReturnUrl(text, registered)).toBe(kept)
})

test.each([
  'https://evil.example/',
  'https://shop.example.evil.example/',
  'https://evil.example/https://shop.example/',
  'https://shop.example@evil.example/',
  'https://user:word@shop.example/',
  'https://shop.example:8443/',
  'https://evil.example#https://shop.example/',
  'http://shop.example/',
  'http://localhost:3001/',
  'javascript:alert(1)//https://shop.example/',
  'data:text/html,<script>alert(1)</script>',
  'blob:https://shop.example/1',
  '//shop.example/',
  '/checkout',
  '',
  'https:\\\\shop.example\\',
  'https://shop.example\\@evil.example/',
  'https://shop.example/\u0000',
  'https://shop.example/a\tb',
  ' https://shop.example/',
  `${longest}a`,
])('rejects %.60j', (text) => {
  expect(readReturnUrl(text, registered)).toBeUndefined()
})
