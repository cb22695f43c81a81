import { expect, test } from 'vitest'
import { textsFor } from '../src/locale.ts'

test('en, hy and ru have their own texts, whatever region or script follows', () => {
  expect(textsFor('en-GB').retry).toBe('Try again')
  expect(textsFor('hy').retry).toBe('Փորձել կրկին')
  expect(textsFor('hy-AM').title).toBe('Վճարման անվտանգ ձև')
  expect(textsFor('ru-Cyrl-RU').retry).toBe('Повторить')
  expect(textsFor('RU').retry).toBe('Повторить')
})

test.each(['xx', '', 'not a tag', 'e', '_', 'constructor', '__proto__', 'a'.repeat(300)])(
  'the locale "%s" shows English',
  (tag) => {
    expect(textsFor(tag).retry).toBe('Try again')
  },
)
