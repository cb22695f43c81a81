// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { CheckoutError, type CheckoutErrorCode } from '../src/errors.ts'
import { buttonFor, closestLanguage, errorOf, resultOf, texts, textsFor } from '../src/texts.ts'

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
  ['ru', /^[а-яё\s….,:?]+$/i],
])('every text in %s is in its letters', (tag, letters) => {
  const names = Object.keys(texts) as (keyof typeof texts)[]
  for (const name of names) expect(textsFor(tag)(name)).toMatch(letters)
})

const uncertain = 'You may have already paid.'
const once = 'Do not pay again.'
const lost = `${uncertain} ${once} Contact the shop.`
const unavailable = 'Payment form did not load.'
const asked = 'Already paid? Contact the shop.'
const ended = `Your session has expired. ${asked}`

test.each<[CheckoutErrorCode, string, button?: string | undefined, status?: number, why?: string]>([
  ['offline', `You are offline. ${asked}`, 'Try again'],
  ['connection_lost', `${unavailable} ${asked}`, 'Try again'],
  ['handoff_failed', `${unavailable} ${asked}`, 'Try again'],
  ['unauthorized', ended, 'Reload page'],
  ['blocked_by_csp', `${unavailable} Contact the shop.`],
  ['status_failed', lost, 'Check again'],
  ['status_failed', lost, undefined, 404],
  // The session of the shop has ended.
  [
    'status_failed',
    `${uncertain} Your session has expired. ${once} Contact the shop.`,
    'Reload page',
    401,
  ],
  ['handoff_failed', ended, 'Reload page', 401],
  ['handoff_failed', ended, 'Reload page', 404, 'order_not_found'],
  ['handoff_failed', `${unavailable} Contact the shop.`, undefined, 404],
])('tells the buyer for %s: %s %s', (code, text, label, status, why) => {
  const error = new CheckoutError(code, {
    cause: status && { status, code: why, retryable: false },
  })
  const mayHavePaid = code === 'status_failed'
  const button = buttonFor(error, mayHavePaid)
  expect(errorOf(error, mayHavePaid, false).map(textsFor('en')).join(' ')).toBe(text)
  expect(button && textsFor('en')(button)).toBe(label)
})

test('above the form to the full page, it sends only who has paid to the shop', () => {
  const error = new CheckoutError('blocked_by_csp')
  expect(errorOf(error, false, true).map(textsFor('en')).join(' ')).toBe(`${unavailable} ${asked}`)
})

test('after Pay, no error says that nothing was paid, and none offers to pay again', () => {
  const error = new CheckoutError('connection_lost')
  expect(errorOf(error, true, true).map(textsFor('en')).join(' ')).toBe(lost)
  expect(buttonFor(error, true)).toBe('check')
})

const left = `${once} You can close this page.`
const unpaid = 'You were not charged.'

test.each([
  ['confirming', undefined, `⋯ Checking your payment. ${once}`],
  ['processing', undefined, `⋯ Payment is still processing. ${left}`],
  ['paid', undefined, '✓ Payment received. You can close this page.'],
  ['review', 'duplicate', `✓ Payment received. The shop is checking your order. ${left}`],
  ['failed', 'canceled', `✕ Payment canceled. ${unpaid}`],
  ['failed', 'expired', `✕ The time to pay has run out. ${unpaid}`],
  ['failed', 'refunded', '↺ Payment refunded. The money will arrive in a few days.'],
  ['failed', 'constructor', `× Payment failed. ${unpaid}`],
  ['failed', undefined, `× Payment failed. ${unpaid}`],
  ['ready', undefined, ''],
])('tells the buyer for %s because of %s: %s', (state, reason, text) => {
  const [icon, ...names] = resultOf(state, reason)
  expect([icon, ...names.map(textsFor('en'))].join(' ')).toBe(text)
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
