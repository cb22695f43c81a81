import { expect, test } from 'vitest'
import { readBasePath } from '../src/client/base-path.ts'

test.each([
  ['/checkout', '/checkout'],
  ['/', ''],
  ['/shop/en-US/checkout', '/shop/en-US/checkout'],
  ['/a.b/c~d', '/a.b/c~d'],
])('%s is a path', (path, expected) => {
  expect(readBasePath(path)).toBe(expected)
})

test.each([
  '',
  'checkout',
  './checkout',
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
  '/a%5Cb',
  '/a%252e',
  '/a?b',
  '/a#b',
  '/a b',
  '/%zz',
  '/%D5%BE',
  'https://evil.example/checkout',
])('"%s" is no path', (path) => {
  expect(readBasePath(path)).toBeUndefined()
})
