import { expect, test } from 'vitest'
import { readRoute, readToken, writeRoute } from '../../hosted/inspector/route.ts'

test.each([
  ['', '#/intents'],
  ['#/env_a1/intents/pi_1', '#/env_a1/intents/pi_1'],
  ['#/intents/pi_1', '#/intents/pi_1'],
  ['#/env_a1', '#/env_a1/intents'],
  ['#/env_a1/settings/pi_1', '#/env_a1/settings'],
  ['#/lint', '#/intents'],
  ['#/requests/<script>', '#/intents'],
  [`#/requests/${'x'.repeat(129)}`, '#/intents'],
])('reads the address "%s" as %s', (hash, route) => {
  expect(writeRoute(readRoute(hash))).toBe(route)
})

test('reads a token alone, in a printed link, and before a route', () => {
  const token = 'T'.repeat(43)
  for (const sent of [
    ` ${token} `,
    `http://127.0.0.1:4000/_sandbox/#${token}`,
    `#${token}/intents/pi_1`,
  ]) {
    expect(readToken(sent)).toBe(token)
  }
  expect(readToken('пароль')).toBeUndefined()
})
