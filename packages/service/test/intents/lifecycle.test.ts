import { expect, test } from 'vitest'
import {
  type Cause,
  deadlineTransition,
  decide,
  type IntentState,
} from '../../src/intents/lifecycle.ts'

const created = new Date('2026-11-20T12:00:00.000Z')
const at = (minutes: number): Date => new Date(created.getTime() + minutes * 60_000)
const paymentMethod = {
  type: 'card',
  card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
}
const failure = { code: 'card_declined', declineCode: 'generic', message: 'Declined.' }

const open: IntentState = {
  status: 'requires_payment_method',
  paymentMethod: null,
  lastPaymentFailure: null,
  nextAction: null,
  providerPaymentId: null,
  settlement: null,
  confirms: 0,
  expiresAt: at(24 * 60),
  finalizedAt: null,
  updatedAt: created,
}
const processing: IntentState = {
  ...open,
  status: 'processing',
  paymentMethod,
  confirms: 1,
  updatedAt: at(1),
}
const challenged: IntentState = {
  ...processing,
  status: 'requires_action',
  nextAction: { type: 'challenge', expiresAt: at(11) },
}

const confirmed: Cause = { type: 'confirmed', paymentMethod }
const settlement = { at: at(3), providerPaymentId: 'sim_2' }
const passed: Cause = { type: 'challenge_passed' }
const denied: Cause = { type: 'challenge_failed', failure }
const authorised: Cause = { type: 'authorised', providerPaymentId: 'sim_1' }
const soft: Cause = { type: 'declined', failure, hard: false }
const hard: Cause = { type: 'declined', failure, hard: true }
const canceled: Cause = { type: 'canceled' }

const again = 'requires_payment_method'
const retryable = { ...failure, retryable: true, occurredAt: at(2).toISOString() }
const retried = { status: again, paymentMethod: null, lastPaymentFailure: retryable }
const failed = { status: 'failed', lastPaymentFailure: { ...failure, retryable: false } }
const redirected = {
  status: 'requires_action',
  nextAction: { type: 'redirect', expiresAt: at(12) },
}
const paid = { status: 'succeeded', providerPaymentId: 'sim_1', finalizedAt: at(2) }
const redirect = { ...confirmed, challenge: 'redirect' }

for (const [what, from, cause, to] of [
  ['a confirmation', open, confirmed, { status: 'processing', confirms: 1 }],
  ['a confirmation with a challenge of ten minutes', open, redirect, redirected],
  ['a confirmation with a later result', open, { ...confirmed, settlement }, { settlement }],
  ['a passed challenge', challenged, passed, { status: 'processing', nextAction: null }],
  ['a denied challenge', challenged, denied, retried],
  ['an authorized payment', processing, authorised, paid],
  ['a soft decline', processing, soft, { status: again }],
  ['a hard decline', processing, hard, failed],
  ['the tenth decline', { ...processing, confirms: 10 }, soft, { status: 'failed' }],
  ['the tenth denied challenge', { ...challenged, confirms: 10 }, denied, { status: 'failed' }],
  ['a cancel', open, canceled, { status: 'canceled', finalizedAt: at(2) }],
  ['a cancel', challenged, canceled, { status: 'canceled', nextAction: null }],
] as readonly [string, IntentState, Cause, { status: string }][]) {
  test(`moves ${from.status} to ${to.status} after ${what}`, () => {
    expect(decide(from, cause, at(2))).toMatchObject({ ...to, cause: cause.type, updatedAt: at(2) })
  })
}

for (const [from, cause, rejection] of [
  [challenged, confirmed, 'attempt_in_progress'],
  [processing, confirmed, 'attempt_in_progress'],
  [processing, canceled, 'attempt_in_progress'],
  [open, passed, 'version_conflict'],
  [open, denied, 'version_conflict'],
  [open, authorised, 'version_conflict'],
  [challenged, authorised, 'version_conflict'],
  [open, soft, 'version_conflict'],
] as const) {
  test(`rejects ${cause.type} in ${from.status} with ${rejection}`, () => {
    expect(decide(from, cause, at(2))).toEqual({ rejection })
  })
}

test('never moves a final intent', () => {
  for (const status of ['succeeded', 'failed', 'canceled', 'expired'] as const) {
    const final = { ...open, status }
    for (const cause of [confirmed, passed, denied, authorised, soft, hard, canceled]) {
      expect(decide(final, cause, at(2))).toEqual({ rejection: 'intent_finalized' })
    }
    expect(deadlineTransition(final, at(1e6))).toBeUndefined()
  }
})

test('dates the effect of a deadline at the deadline', () => {
  expect(deadlineTransition(open, at(24 * 60 - 1))).toBeUndefined()
  const expired = { status: 'expired', cause: 'expired', updatedAt: at(24 * 60) }
  expect(deadlineTransition(open, at(24 * 60))).toMatchObject(expired)
  expect(deadlineTransition(open, at(99 * 60))).toMatchObject(expired)
})

test('allows another confirmation after a challenge has expired', () => {
  expect(deadlineTransition(challenged, at(10))).toBeUndefined()
  expect(deadlineTransition(challenged, at(60))).toMatchObject({
    status: again,
    cause: 'challenge_timed_out',
    updatedAt: at(11),
    lastPaymentFailure: {
      code: 'authentication_failed',
      declineCode: 'authentication_timed_out',
      message: 'The confirmation with your bank took too long. Please try again.',
    },
  })
  const expiresAt = at(11)
  expect(deadlineTransition({ ...challenged, expiresAt }, at(11))).toMatchObject({
    status: 'expired',
  })
  expect(deadlineTransition({ ...challenged, expiresAt: at(5) }, at(5))).toMatchObject({
    ...{ status: 'expired', updatedAt: at(5) },
  })
})

test('never expires a processing intent, and settles it once the result is due', () => {
  expect(deadlineTransition(processing, at(1e6))).toBeUndefined()
  const later = { ...processing, settlement }
  expect(deadlineTransition(later, at(2))).toBeUndefined()
  expect(deadlineTransition(later, at(3))).toMatchObject({
    ...{ status: 'succeeded', cause: 'authorised', providerPaymentId: 'sim_2' },
  })
})

test('dates no change before the last one if the clock is set back', () => {
  expect(decide(challenged, passed, created)).toMatchObject({ updatedAt: challenged.updatedAt })
})
