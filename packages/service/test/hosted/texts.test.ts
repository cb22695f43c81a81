import { expect, test } from 'vitest'
import { resultOf } from '../../hosted/checkout/page-state.ts'
import { texts } from '../../hosted/checkout/texts.ts'
import type { CheckoutView } from '../../shared/checkout-api.ts'

test('states that nothing was charged only for a payment that has ended without a charge', () => {
  for (const [language, charged] of [
    ['en', /not charged/],
    ['hy', /չի գանձվել/],
    ['ru', /не списаны/],
  ] as const) {
    const keys = Object.entries(texts[language]).filter(([, text]) => charged.test(text))
    expect(keys.map(([key]) => key)).toEqual(['notCharged'])
  }
  for (const status of ['succeeded', 'processing', 'refunded', ''] as CheckoutView['status'][]) {
    expect(['failed', 'canceled', 'expired']).not.toContain(resultOf({ status }))
  }
})

test('uses the placeholders of English in every language, without an ending', () => {
  const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
  for (const language of ['en', 'hy', 'ru'] as const) {
    for (const [key, text] of Object.entries(texts[language])) {
      const name = `${language} ${key}`
      expect([name, text.trim()]).toEqual([name, text])
      expect([name, text]).not.toEqual([name, ''])
      expect(text, name).not.toMatch(/\}[\p{L}-]|\p{L}\{/u)
      const used = placeholders(texts.en[key as keyof typeof texts.en])
      const missing = used.filter((each) => !text.includes(each))
      // A translation may leave out whose order it is.
      expect([name, ...missing.filter((each) => each !== '{merchant}')]).toEqual([name])
    }
  }
})
