// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { closestLanguage, textsFor } from '../src/locale.ts'

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

test.each([
  ['hy', /^[Ա-և\s…։]+$/],
  ['ru', /^[а-яё\s….]+$/i],
])('every text in %s is in its letters', (tag, letters) => {
  const texts = Object.values(textsFor(tag))
  expect(texts).toEqual(Array(5).fill(expect.stringMatching(letters)))
})

test('has the texts in English', () => {
  expect(textsFor('en')).toEqual({
    title: 'Secure payment form',
    loading: 'Loading the payment form…',
    slow: 'Check your connection.',
    unavailable: 'The payment form is not available right now.',
    retry: 'Try again',
  })
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
