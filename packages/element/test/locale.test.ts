import { expect, test } from 'vitest'
import { textsFor } from '../src/locale.ts'

test.each([
  ['en-GB', 'Try again'],
  ['hy', 'Նորից փորձել'],
  ['hy-AM', 'Նորից փորձել'],
  ['ru-Cyrl-RU', 'Попробовать ещё раз'],
  ['RU', 'Попробовать ещё раз'],
  ...['xx', '', 'not a tag', 'e', '_', 'constructor', '__proto__', 'a'.repeat(300)].map((tag) => [
    tag,
    'Try again',
  ]),
])('the locale "%s" shows "%s"', (tag, retry) => {
  expect(textsFor(tag).retry).toBe(retry)
})
