import { expect, test } from 'vitest'
import { explore } from '../src/index.ts'
import { shopWith } from './support/shop.ts'

/** Realistic mistakes of the shop, and what they break. Which sequence shows it is up to the search. */
const mistakes = {
  'random-key': ['double_payment'],
  'timestamp-key': ['double_payment'],
  'price-from-request': ['price_from_browser'],
  'paid-on-finish': ['false_paid', 'fulfilled_unpaid'],
  'paid-on-query': ['false_paid', 'fulfilled_unpaid'],
  'ships-twice': ['fulfilled_twice'],
  'attempt-on-poll': ['double_payment'],
  'no-reconciliation': ['payment_lost'],
  'no-session': ['session_mixed'],
  'cart-twice': ['double_payment'],
  'secret-in-page': ['secret_exposed'],
  exits: ['shop_exited'],
  'amount-as-string': ['false_paid'],
  'old-intent-ignored': ['payment_lost'],
} as const

for (const [mistake, broken] of Object.entries(mistakes)) {
  test(`finds a shop with the mistake ${mistake}`, async () => {
    const startedAt = performance.now()
    const { violation, sequences, seed } = await explore({
      ...shopWith(mistake),
      ...{ runs: 10_000, time: 60_000 },
    })
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stdout.write(
      `${mistake}: ${sequences} sequences, ${seconds} s, seed ${seed}: ${violation?.replay}\n`,
    )
    expect(broken, `seed ${seed}`).toContain(violation?.rule)
    expect(violation?.steps.length).toBeLessThanOrEqual(6)
  })
}

test('finds nothing in a shop without a mistake', async () => {
  const result = await explore({ ...shopWith('none'), runs: 40 })
  expect(result.violation).toBeUndefined()
  expect(result.notChecked).toEqual([])
})
