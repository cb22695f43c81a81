import { expect, test } from 'vitest'
import {
  type Cause,
  deadlineTransition,
  decide,
  type IntentState,
} from '../../src/intents/lifecycle.ts'

const created = new Date('2026-11-20T12:00:00.000Z')
const minute = 60_000
const at = (minutes: number): Date => new Date(created.getTime() + minutes * minute)
const card = {
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
const asked: IntentState = {
  ...open,
  status: 'requires_action',
  paymentMethod: card,
  nextAction: { type: 'challenge', expiresAt: at(11) },
  confirms: 1,
  updatedAt: at(1),
}
const processing: IntentState = {
  ...open,
  status: 'processing',
  paymentMethod: card,
  confirms: 1,
  updatedAt: at(1),
}

const confirmed: Cause = { type: 'confirmed', paymentMethod: card }
const passed: Cause = { type: 'challenge_passed' }
const denied: Cause = { type: 'challenge_failed', failure }
const authorised: Cause = { type: 'authorised', providerPaymentId: 'sim_1' }
const soft: Cause = { type: 'declined', failure, hard: false }
const hard: Cause = { type: 'declined', failure, hard: true }
const canceled: Cause = { type: 'canceled' }

const moves: readonly [what: string, from: IntentState, cause: Cause, to: object][] = [
  ['paying without a challenge', open, confirmed, { status: 'processing', confirms: 1 }],
  [
    'paying with a challenge gives the buyer ten minutes',
    open,
    { ...confirmed, challenge: 'redirect' },
    { status: 'requires_action', nextAction: { type: 'redirect', expiresAt: at(12) } },
  ],
  ['a passed challenge', asked, passed, { status: 'processing', nextAction: null }],
  [
    'a denied challenge lets the buyer try again',
    asked,
    denied,
    {
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: { ...failure, retryable: true, occurredAt: at(2).toISOString() },
    },
  ],
  [
    'an authorised payment',
    processing,
    authorised,
    { status: 'succeeded', providerPaymentId: 'sim_1', finalizedAt: at(2) },
  ],
  [
    'a soft decline lets the buyer try again',
    processing,
    soft,
    { status: 'requires_payment_method' },
  ],
  [
    'a hard decline ends it',
    processing,
    hard,
    { status: 'failed', lastPaymentFailure: { ...failure, retryable: false } },
  ],
  ['the tenth failure ends it', { ...processing, confirms: 10 }, soft, { status: 'failed' }],
  ['the tenth denied challenge too', { ...asked, confirms: 10 }, denied, { status: 'failed' }],
  ['leaving before paying', open, canceled, { status: 'canceled', finalizedAt: at(2) }],
  ['leaving during the challenge', asked, canceled, { status: 'canceled', nextAction: null }],
]

for (const [what, from, cause, to] of moves) {
  test(`${what}: ${from.status} → ${'status' in to ? to.status : ''}`, () => {
    expect(decide(from, cause, at(2))).toMatchObject({ ...to, cause: cause.type, updatedAt: at(2) })
  })
}

const refusals: readonly [from: IntentState, cause: Cause, rejection: string][] = [
  [asked, confirmed, 'attempt_in_progress'],
  [processing, confirmed, 'attempt_in_progress'],
  [processing, canceled, 'attempt_in_progress'],
  [open, passed, 'version_conflict'],
  [open, denied, 'version_conflict'],
  [open, authorised, 'version_conflict'],
  [asked, authorised, 'version_conflict'],
  [open, soft, 'version_conflict'],
]

for (const [from, cause, refusal] of refusals) {
  test(`${cause.type} does nothing to ${from.status}: ${refusal}`, () => {
    expect(decide(from, cause, at(2))).toEqual({ rejection: refusal })
  })
}

for (const status of ['succeeded', 'failed', 'canceled', 'expired'] as const) {
  test(`nothing changes what is ${status}`, () => {
    for (const cause of [confirmed, passed, denied, authorised, soft, hard, canceled]) {
      expect(decide({ ...open, status }, cause, at(2))).toEqual({ rejection: 'intent_finalized' })
    }
    expect(deadlineTransition({ ...open, status }, at(1e6))).toBeUndefined()
  })
}

test('dates the effect of a deadline at the deadline, whenever it is read', () => {
  expect(deadlineTransition(open, at(24 * 60 - 1))).toBeUndefined()
  const expired = { status: 'expired', cause: 'expired', updatedAt: at(24 * 60) }
  expect(deadlineTransition(open, at(24 * 60))).toMatchObject(expired)
  expect(deadlineTransition(open, at(99 * 60))).toMatchObject(expired)
})

test('allows another confirmation after a challenge has expired', () => {
  expect(deadlineTransition(asked, at(10))).toBeUndefined()
  expect(deadlineTransition(asked, at(60))).toMatchObject({
    status: 'requires_payment_method',
    cause: 'challenge_timed_out',
    updatedAt: at(11),
    lastPaymentFailure: { declineCode: 'authentication_timed_out' },
  })
})

test('what is processing never expires, and is settled when the provider shows it', () => {
  expect(deadlineTransition(processing, at(1e6))).toBeUndefined()
  const later = { ...processing, settlement: { at: at(3), providerPaymentId: 'sim_2' } }
  expect(deadlineTransition(later, at(2))).toBeUndefined()
  expect(deadlineTransition(later, at(3))).toMatchObject({
    status: 'succeeded',
    providerPaymentId: 'sim_2',
  })
})

test('a clock that is set back makes no intent older than its last change', () => {
  expect(decide(asked, passed, created)).toMatchObject({ updatedAt: asked.updatedAt })
})
