// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { CheckoutError, type CheckoutErrorCode } from '../src/errors.ts'
import { closestLanguage, errorText, failureText, texts, textsFor } from '../src/texts.ts'

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
  expect(textsFor(tag)('retry')).toBe(retry)
})

test.each([
  ['hy', /^[Ա-և\s…։.,]+$/],
  ['ru', /^[а-яё\s….,:]+$/i],
])('every text in %s is in its letters', (tag, letters) => {
  const names = Object.keys(texts) as (keyof typeof texts)[]
  for (const name of names) expect(textsFor(tag)(name)).toMatch(letters)
})

test.each<[CheckoutErrorCode, string, number?]>([
  ['offline', 'You are offline. You will not be charged twice.'],
  ['connection_lost', 'The payment form is not available. You will not be charged twice.'],
  ['handoff_failed', 'The payment form is not available. You will not be charged twice.'],
  ['unauthorized', 'Your session has ended. Reload the page.'],
  ['blocked_by_csp', 'The payment form is not available.'],
  ['status_failed', 'Waiting for the shop to confirm your order. Do not pay again.'],
  // The session of the shop has ended.
  ['handoff_failed', 'Your session has ended. Reload the page.', 401],
])('tells the buyer for %s: %s', (code, text, status) => {
  const cause = status && { status, retryable: false }
  expect(errorText(new CheckoutError(code, { cause }), textsFor('en'))).toBe(text)
})

test.each([
  ['canceled', 'You canceled the payment. You were not charged.'],
  ['expired', 'The time to pay has run out. You were not charged.'],
  ['refunded', 'Your payment was refunded.'],
  ['declined', 'The payment did not go through. You were not charged.'],
  [undefined, 'The payment did not go through. You were not charged.'],
])('tells the buyer why a payment failed: %s', (reason, text) => {
  expect(failureText(reason, textsFor('en'))).toBe(text)
})

test('finds the closest language, also outside of a shadow root', () => {
  document.body.innerHTML = '<div lang="ru"><p lang="hy"><i></i></p><b></b></div><a href="/x"></a>'
  const of = (selector: string): string =>
    closestLanguage(document.querySelector(selector) as Element)
  expect([of('i'), of('p'), of('b'), of('a')]).toEqual(['hy', 'hy', 'ru', ''])
  const inside = document.createElement('span')
  document.querySelector('div')?.attachShadow({ mode: 'open' }).append(inside)
  expect(closestLanguage(inside)).toBe('ru')
  const link = Object.assign(document.createElement('a'), { href: 'https://shop.example' })
  expect(closestLanguage(link)).toBe('')
})
