import { expect, test } from 'vitest'
import { resultOf } from '../../hosted/checkout/screen.ts'
import { texts } from '../../hosted/checkout/texts.ts'
import type { CheckoutView } from '../../shared/checkout-api.ts'

test('states that nothing was charged only for a payment that has ended without a charge', () => {
  for (const [language, charged] of [
    ['en', /not charged/],
    ['hy', /չի գանձվել/],
    ['ru', /не списаны/],
  ] as const) {
    const keys = Object.entries(texts[language]).filter(([, text]) => charged.test(text))
    expect(keys.map(([key]) => key)).toEqual(['failedText', 'canceledText', 'expiredText'])
  }
  for (const status of ['succeeded', 'processing', 'refunded', ''] as CheckoutView['status'][]) {
    expect(['failed', 'canceled', 'expired']).not.toContain(resultOf({ status }))
  }
})
