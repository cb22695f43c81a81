import { expect, test } from 'vitest'
import { readOrigin } from '../src/config.ts'

for (const origin of ['https://shop.example', 'http://localhost:3000', 'http://[::1]:3000']) {
  test(`${origin} may be registered`, () => {
    expect(readOrigin(origin)).toBe(origin)
  })
}

// In a policy of frame ancestors these would be a whole domain, another directive, another policy.
for (const origin of [
  'https://*',
  'https://*.shop.example',
  'https://shop.example;sandbox',
  'https://shop.example,x',
  "https://'self'",
]) {
  test(`${origin} is no exact origin`, () => {
    expect(readOrigin(origin)).toBeUndefined()
  })
}
