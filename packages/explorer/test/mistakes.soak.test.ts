import { expect, test } from 'vitest'
import { explore } from '../src/index.ts'
import { shopWith } from './support/shop.ts'

/** Realistic mistakes of the shop: what the sequence breaks, what else another may break, and the sequence. */
const mistakes = {
  'random-key': [['double_payment', 'payment_lost'], 'handoffs.A.1'],
  'timestamp-key': [['double_payment', 'payment_lost'], 'handoff.A.1 handoff.A.1'],
  'price-from-request': [['price_from_browser'], 'forged-price.A.1'],
  'paid-on-finish': [['false_paid', 'fulfilled_unpaid'], 'handoff.A.1 finish.A.1 poll.A.1'],
  'paid-on-query': [['false_paid', 'fulfilled_unpaid'], 'handoff.A.1 forged-status.A.1'],
  'ships-twice': [['fulfilled_twice'], 'handoff.A.1 pay.A.1.succeeds polls.A.1'],
  'ships-on-finish': [['not_fulfilled'], 'handoff.A.1'],
  'attempt-on-poll': [['double_payment', 'payment_lost'], 'handoff.A.1 poll.A.1 handoff.A.1'],
  'no-reconciliation': [['payment_lost'], 'handoff.A.1'],
  'no-session': [['session_mixed'], 'handoff.A.1 foreign.B.1'],
  'cart-twice': [['double_payment'], 'handoff.A.1 pay.A.1.pending handoff.A.1'],
  'secret-in-page': [['secret_exposed'], 'handoff.A.1 handoff.A.1'],
  exits: [['shop_exited'], 'handoff.A.1 leave.A.1.half'],
  'amount-as-string': [['false_paid'], 'handoff.A.1 edit.A.1'],
  'old-intent-ignored': [['payment_lost'], 'handoff.A.1 edit.A.1'],
} as const

for (const [mistake, [broken, replay]] of Object.entries(mistakes)) {
  test(`rejects a shop with the mistake ${mistake}`, async () => {
    const { violation } = await explore({ ...shopWith(mistake), replay })
    expect(violation?.rule).toBe(broken[0])
  })
}

/** `all`, or the mistakes to search for: each search takes up to a minute. */
const { PI_MISTAKES = 'random-key attempt-on-poll' } = process.env
const searched = PI_MISTAKES === 'all' ? Object.keys(mistakes) : PI_MISTAKES.split(' ')

test.each(searched as (keyof typeof mistakes)[])('finds the mistake %s', async (mistake) => {
  const { violation, sequences, seed } = await explore({
    ...shopWith(mistake),
    ...{ runs: 10_000, time: 60_000 },
  })
  process.stdout.write(`  ${mistake}: ${sequences} sequences: ${violation?.replay}\n`)
  expect(mistakes[mistake][0], `seed ${seed}`).toContain(violation?.rule)
  expect(violation?.steps.length).toBeLessThanOrEqual(6)
})

test('finds nothing in a shop without a mistake', async () => {
  const { violation, notChecked } = await explore({ ...shopWith('none'), runs: 20 })
  expect([violation, notChecked]).toEqual([undefined, []])
})
