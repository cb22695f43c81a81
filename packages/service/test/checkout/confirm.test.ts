import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { expect, test } from 'vitest'
import { confirm } from '../../src/checkout/confirm.ts'
import { createBatch } from '../../src/intents/create-batch.ts'
import { authorize } from '../../src/provider/acquirer.ts'
import { newIntent, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const store = { db, now: () => new Date('2026-11-20T12:00:00.000Z') }

async function confirmed(card: TestCardName, { id, environmentId } = newIntent()) {
  const details = { number: testCards[card], expMonth: 12, expYear: 2040, cvc: '123' }
  const authorization = authorize(details)
  if (!authorization) throw new Error('no test card')
  return await confirm(
    store,
    { id, environmentId },
    { attemptId: 'attempt-0000000001', version: 1, authorization },
  )
}

for (const [card, status, state, outcome] of [
  ['visa', 'succeeded', 'succeeded', 'authorised'],
  ['declined', 'requires_payment_method', 'failed', 'declined:generic_decline'],
  ['stolen', 'failed', 'failed', 'declined_hard:stolen_card'],
  ['challenge', 'requires_action', 'challenge', 'authorised'],
  ['challenge-declined', 'requires_action', 'challenge', 'declined:generic_decline'],
  ['pending', 'processing', 'processing', 'pending'],
] as const) {
  test(`stores the confirmation with the ${card} card as ${state}, ${outcome}`, async () => {
    const draft = newIntent({ createdAt: store.now() })
    await createBatch(db)(draft)
    const result = await confirmed(card, draft)
    expect(result).toMatchObject({ snapshot: { intent: { status } } })
    const attempts = await db.query`
      select state, outcome, payment_method->>'type' as type
        from payment_attempts where intent_id = ${draft.id}`
    expect(attempts).toEqual([{ state, outcome, type: 'card' }])
  })
}

test('rejects the confirmation of an unknown intent', async () => {
  expect(await confirmed('visa')).toEqual({ rejection: 'payment_intent_not_found' })
})
