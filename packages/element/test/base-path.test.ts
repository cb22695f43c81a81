import { expect, test } from 'vitest'
import { readBasePath } from '../src/client/base-path.ts'

test.each([
  ['/checkout', '/checkout'],
  ['/', ''],
  ['/shop/en-US/checkout', '/shop/en-US/checkout'],
  ['/%D5%BE%D5%B3%D5%A1%D6%80/a.b', '/%D5%BE%D5%B3%D5%A1%D6%80/a.b'],
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
  'https://evil.example/checkout',
])('"%s" is no path', (path) => {
  expect(readBasePath(path)).toBeUndefined()
})
