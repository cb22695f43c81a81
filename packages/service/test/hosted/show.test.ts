import { expect, test } from 'vitest'
import { lines, money, readJson, text, time } from '../../hosted/inspector/show.ts'

const circular: { self?: object } = {}
circular.self = circular

/** Values that a logged field may have, whatever its type says. */
const foreign: readonly unknown[] = [
  ...[-0, 15.5, 1e20, 1e-7, 2 ** 53, Number.NaN, Infinity, 10n],
  ...['', '15.50', 'x'.repeat(16 * 1024), '\u0000\u001b[31m', '\u202etxt.exe', '\ud800', '👩‍👧'],
  ...[null, undefined, true, [[[]]], { toString: null }, { toJSON: 1 }, Object.create(null)],
  ...[circular, Symbol('s'), () => 1, new Date(Number.NaN), '2026-99-99', '__proto__'],
]

test('shows every value of every field, within a bound, and never throws', () => {
  for (const value of foreign) {
    for (const show of [text, time, lines]) {
      expect(show(value).length, show.name).toBeLessThan(150_000)
    }
    readJson(value)
    for (const currency of foreign) expect(money(value, currency) ?? '').toMatch(/^.{0,40}$/)
    expect(text(value).length).toBeLessThan(2000)
  }
})

test.each([
  [150000, 'AMD', '֏1,500'],
  [2 ** 53 - 1, 'USD', '$90,071,992,547,409.91'],
  [-5, 'AMD', undefined],
  [0, 'AMD', undefined],
  [15.5, 'AMD', undefined],
  [1500, 'XXX', undefined],
])('formats %j %j as %j: only what can be paid', (amount, currency, shown) => {
  expect(money(amount, currency)).toBe(shown)
})

test.each([
  [text('a\nb\u0000'), 'a⟨U+000A⟩b⟨U+0000⟩'],
  [text('\u202egpj.exe'), '⟨U+202E⟩gpj.exe'],
  [text('👩‍👧 Ani'), '👩‍👧 Ani'],
  [text({ id: 7 }), '{"id":7}'],
  [text('x'.repeat(16_384), 10), `${'x'.repeat(10)}…`],
  [text('👩👩', 3), '👩…'],
  [lines('{\n\t"a": 1\r}'), '{\n\t"a": 1⟨U+000D⟩}'],
  [lines({ a: '\u202e' }), '{\n  "a": "⟨U+202E⟩"\n}'],
  [time('yesterday'), 'yesterday'],
])('shows %j', (shown, expected) => expect(shown).toBe(expected))
