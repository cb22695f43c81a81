import { expect, test } from 'vitest'
import { readBasePath } from '../src/payment-controller.ts'

test.each(['/checkout', '/shop/en-US/checkout', '/a.b/c~d', '/'])('%s is a path', (path) => {
  expect(readBasePath(path)).toBe(path === '/' ? '' : path)
})

test.each([
  '',
  'checkout',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/checkout/',
  '/a//b',
  '/a/..',
  '/a/./b',
  '/%2e%2E/b',
  '/.%2e/b',
  '/a%2fb',
  '/a?b',
  '/a#b',
  '/a b',
  '/%D5%BE',
  'https://evil.example/checkout',
])('"%s" is no path', (path) => {
  expect(readBasePath(path)).toBeUndefined()
})
