import { expect, test } from 'vitest'
import {
  clock,
  duration,
  lines,
  money,
  readJson,
  span,
  text,
  time,
} from '../../hosted/inspector/show.ts'

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
    for (const show of [text, time, clock, duration, span, lines, readJson]) {
      const shown = show(value)
      if (show !== readJson) expect(String(shown).length, String(show.name)).toBeLessThan(150_000)
    }
    for (const currency of foreign) expect(money(value, currency).length).toBeLessThan(600)
    expect(text(value).length).toBeLessThan(2000)
  }
})

test.each([
  [150000, 'AMD', '֏1,500'],
  [2 ** 53 - 1, 'USD', '$90,071,992,547,409.91'],
  [-5, 'AMD', '-֏0.05'],
  [15.5, 'AMD', '15.5 AMD'],
  [1e20, 'AMD', '100000000000000000000 AMD'],
  [1500, 'XXX', '1500 XXX'],
  [null, null, ''],
  [[1], { a: 1 }, '[1] {"a":1}'],
])('shows the amount %j %j as %j', (amount, currency, shown) => {
  expect(money(amount, currency)).toBe(shown)
})

test.each([
  ['A-1', 'A-1'],
  ['a\nb\u0000', 'a⟨U+000A⟩b⟨U+0000⟩'],
  ['\u202egpj.exe', '⟨U+202E⟩gpj.exe'],
  ['👩‍👧 Ani', '👩‍👧 Ani'],
  [{ id: 7 }, '{"id":7}'],
  [null, 'null'],
])('shows %j on one line as %j', (value, shown) => {
  expect(text(value)).toBe(shown)
})

test('cuts a long text between characters, and says so', () => {
  expect(text('x'.repeat(16_384), 10)).toBe(`${'x'.repeat(10)}…`)
  expect(text('👩👩', 3)).toBe('👩…')
})

test('keeps the lines of a body, and shows its other controls', () => {
  expect(lines('{\n\t"a": 1\r}')).toBe('{\n\t"a": 1⟨U+000D⟩}')
  expect(lines({ a: '\u202e' })).toBe('{\n  "a": "⟨U+202E⟩"\n}')
})

test('shows what is no time as it is', () => {
  expect(time('yesterday')).toBe('yesterday')
  expect(time(12)).toBe('12')
  expect(clock('2026-11-27T10:15:03.042Z')).toMatch(/^\d\d:15:03\.042$/)
})

test.each([
  [0, ''],
  [61_000, '+1 min 1 s'],
  [-26 * 3_600_000, '−1 d 2 h'],
  [Number.NaN, ''],
])('shows a span of %d ms as "%s"', (milliseconds, shown) => {
  expect(span(milliseconds)).toBe(shown)
})
