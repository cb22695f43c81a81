import { expect, test } from 'vitest'
import { explore } from '../src/explore.ts'
import { shopWith } from './support/shop.ts'

/** Realistic mistakes of the shop: what the sequence breaks, what else another may break, and the sequence. */
const mistakes = {
  'random-key': [['double_payment', 'paid_unreviewed'], 'handoffs.A.1'],
  'timestamp-key': [['double_payment', 'paid_unreviewed'], 'handoff.A.1 handoff.A.1'],
  'price-in-address': [['price_from_browser'], 'forged-price.A.1.order'],
  'price-in-form': [['price_from_browser'], 'forged-price.A.1.edit'],
  'price-in-items': [['price_from_browser'], 'forged-price.A.1.edit'],
  currency: [['wrong_price'], 'handoff.A.1'],
  'paid-on-finish': [['false_paid'], 'handoff.A.1 finish.A.1'],
  'paid-on-query': [['false_paid'], 'handoff.A.1 forged-status.A.1'],
  'intent-from-page': [['false_paid'], 'handoff.A.1 handoff.B.1 foreign-intent.B.1'],
  'ships-twice': [['fulfilled_twice'], 'handoff.A.1'],
  'ships-before-paid': [['fulfilled_twice'], 'handoff.A.1 crash.A.1'],
  'store-ignores-condition': [['fulfilled_twice'], 'handoff.A.1 polls.A.1'],
  'ships-on-finish': [['not_fulfilled'], 'handoff.A.1'],
  'ships-on-processing': [['false_paid'], 'handoff.A.1 pay.A.1.pending poll.A.1'],
  'cached-status': [['payment_lost'], 'handoff.A.1 poll.A.1 poll.A.1'],
  'closes-failed': [['not_payable'], 'handoff.A.1 pay.A.1.stolen poll.A.1'],
  'gives-up-waiting': [['payment_lost'], 'handoff.A.1 follow.A.1'],
  'deletes-old-orders': [['payment_lost', 'double_payment'], 'handoff.A.1 wait.A.1'],
  'status-of-any-order': [['session_mixed'], 'handoff.A.1 handoff.B.1 foreign-intent.B.1'],
  'no-reconciliation': [['payment_lost'], 'handoff.A.1'],
  'reviews-ignored': [['paid_unreviewed', 'payment_lost'], 'handoff.A.1 edit.A.1 handoff.A.1'],
  'forgets-payments': [
    ['payment_lost', 'paid_unreviewed', 'double_payment', 'not_payable'],
    'handoff.A.1 edit.A.1 handoff.A.1 restart.A.1 restart.A.1',
  ],
  'trusts-page': [['session_mixed'], 'foreign-order.A.1'],
  'secret-in-page': [['secret_exposed'], 'handoff.A.1 handoff.A.1'],
  exits: [['shop_exited'], 'handoff.A.1 leave.A.1.half'],
  'by-hand': [
    ['paid_unreviewed', 'double_payment', 'payment_lost', 'not_payable'],
    'handoff.A.1 edit.A.1 handoff.A.1',
  ],
} as const

for (const [mistake, [broken, replay]] of Object.entries(mistakes)) {
  test(`rejects a shop with the mistake ${mistake}`, async () => {
    const { violation } = await explore({ ...shopWith(mistake), replay })
    expect(broken, violation?.detail).toContain(violation?.rule)
  })
}

/** The mistakes to search for: each search takes up to a minute. */
const searched = (process.env.PI_MISTAKES ?? 'random-key by-hand').split(' ')

test.each(searched as (keyof typeof mistakes)[])('finds the mistake %s', async (mistake) => {
  const { violation, sequences } = await explore(shopWith(mistake))
  process.stdout.write(`  ${mistake}: ${sequences} sequences: ${violation?.replay}\n`)
  expect(mistakes[mistake][0]).toContain(violation?.rule)
  expect(violation?.steps.length).toBeLessThanOrEqual(6)
})

test('finds nothing in a shop without a mistake', async () => {
  const { violation, notChecked } = await explore({ ...shopWith('none'), time: 20_000 })
  expect([violation, notChecked]).toEqual([undefined, []])
})
