import { setImmediate } from 'node:timers/promises'
import { isFinal } from '@pi-checkout/contract'
import { testCards } from '@pi-checkout/contract/sandbox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dueAt } from '../../src/intents/deadlines.ts'
import { type Intent, isOpen, stateOf, updatedAt } from '../../src/intents/intent.ts'
import { afterDeadlines, type Cause, decide } from '../../src/intents/lifecycle.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import { newIntent } from '../support/store.ts'

const created = new Date('2026-11-20T12:00:00.000Z')
const at = (minutes: number): Date => new Date(created.getTime() + minutes * 60_000)
const expiry = { expMonth: 12, expYear: 2040 }
const open = newIntent({ createdAt: created })

function pay(card: keyof typeof testCards, attempt = 'attempt-1', version = 1): Cause {
  const authorization = authorizeTestCard(card, expiry)
  return {
    type: 'confirmed',
    confirmationId: attempt,
    version,
    authorization,
    providerPaymentId: 'sim_1',
  }
}

function enter(
  token: string,
  next: string,
  display: 'challenge' | 'redirect' = 'challenge',
): Cause {
  return { type: 'challenge_entered', display, token, next }
}

function answer(code: string | undefined, token = 'b', next = 'c'): Cause {
  const ids = { token, next, providerPaymentId: 'sim_1' }
  return { type: 'challenge_answered', display: 'challenge', code, ...ids }
}

const opened: Cause = {
  type: 'challenge_opened',
  token: 'a',
  returnPage: null,
}
const simulated = (outcome: Extract<Cause, { type: 'simulated' }>['outcome']): Cause => ({
  type: 'simulated',
  outcome,
  confirmationId: `sandbox-${outcome}`,
  providerPaymentId: 'sim_2',
})

/** Applies causes a minute apart, all of which are accepted. */
function after(...causes: readonly Cause[]): Intent {
  return causes.reduce((intent, cause, index) => {
    const { intent: next, rejection } = decide(intent, cause, at(index + 1))
    expect(rejection).toBeUndefined()
    return next
  }, open)
}

const asked = [pay('challenge'), opened, enter('a', 'b')] as const

test.each<[cause: Cause, before: readonly Cause[], rejection: string]>([
  [pay('visa', 'attempt-2'), [pay('challenge')], 'confirmation_in_progress'],
  [pay('visa', 'attempt-2'), [pay('pending')], 'confirmation_in_progress'],
  [pay('visa', 'attempt-2'), [pay('visa')], 'intent_finalized'],
  [pay('visa', 'attempt-2'), [pay('declined')], 'version_conflict'],
  [{ type: 'canceled' }, [pay('pending')], 'confirmation_in_progress'],
  [{ type: 'canceled' }, [pay('visa')], 'intent_finalized'],
  [{ type: 'challenge_canceled' }, [pay('pending')], 'version_conflict'],
  [{ type: 'challenge_canceled' }, [pay('visa')], 'intent_finalized'],
  [opened, [], 'version_conflict'],
  [enter('x', 'y'), [pay('challenge'), opened], 'version_conflict'],
  [enter('a', 'y', 'redirect'), [pay('challenge'), opened], 'version_conflict'],
  [answer('1234', 'a'), [...asked], 'version_conflict'],
  [simulated('requires_action'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('expired'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('canceled'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('succeeded'), [pay('visa')], 'intent_finalized'],
])('rejects %j after %j with %s', (cause, before, rejection) => {
  const intent = after(...before)
  expect(decide(intent, cause, at(9))).toEqual({ intent, rejection })
})

test.each<[Cause, before: readonly Cause[]]>([
  [pay('visa'), [pay('visa')]],
  [pay('visa', 'attempt-1', 7), [pay('challenge')]],
  [{ type: 'canceled' }, [{ type: 'canceled' }]],
  [{ type: 'challenge_canceled' }, [pay('challenge'), { type: 'challenge_canceled' }]],
  [simulated('processing'), [pay('pending')]],
  [simulated('requires_action'), [pay('challenge')]],
])('changes nothing if %j is repeated after %j', (cause, before) => {
  const intent = after(...before)
  expect(decide(intent, cause, at(9)).intent).toBe(intent)
})

test('cancels an intent whose clientSecret is revoked, and rejects its buyer', () => {
  const revoked = { ...open, revokedAt: at(0) }
  for (const cause of [pay('visa'), { type: 'canceled' }, opened, enter('a', 'b')] as const) {
    expect(decide(revoked, cause, at(1))).toMatchObject({
      intent: { status: 'canceled' },
      rejection: 'payment_intent_not_found',
    })
  }
  // A payment that the bank is processing may succeed.
  const processing = { ...after(pay('pending')), revokedAt: at(0) }
  expect(decide(processing, { type: 'time_passed' }, at(1)).intent).toBe(processing)
  expect(decide(processing, simulated('succeeded'), at(1)).intent.status).toBe('succeeded')
  expect(decide(processing, simulated('declined'), at(1)).intent.status).toBe('canceled')
})

test('expires an intent after 24 hours, a challenge after ten minutes', () => {
  expect(dueAt(open)).toEqual(at(24 * 60))
  expect(afterDeadlines(open, at(24 * 60 - 1))).toBe(open)
  expect(afterDeadlines(open, at(99 * 60))).toMatchObject({
    status: 'expired',
    version: 2,
    finalizedAt: at(24 * 60),
  })
  const challenged = after(pay('challenge'))
  expect(dueAt(challenged)).toEqual(at(11))
  const late = afterDeadlines(challenged, at(99 * 60))
  expect(stateOf(late).events.map(({ cause }) => cause)).toEqual([
    'confirmed',
    'challenge_timed_out',
    'expired',
  ])
  expect(late).toMatchObject({ version: 4, finalizedAt: at(24 * 60) })
  expect(stateOf(late).confirmations).toMatchObject([
    { state: 'failed', failure: { declineCode: 'authentication_timed_out', retryable: true } },
  ])
  const paidLate = decide(open, pay('challenge'), at(24 * 60 - 5)).intent
  expect(dueAt(paidLate)).toEqual(at(24 * 60))
  expect(afterDeadlines(paidLate, at(24 * 60))).toMatchObject({ status: 'expired', version: 3 })
})

test('applies passed deadlines before a cause', () => {
  const late = decide(after(pay('challenge')), pay('visa', 'attempt-2', 3), at(20))
  expect(late).toMatchObject({ intent: { status: 'succeeded', version: 5 } })
  const tooLate = decide(open, pay('visa'), at(24 * 60))
  expect(tooLate).toMatchObject({ intent: { status: 'expired' }, rejection: 'intent_finalized' })
})

test('dates no change before the last one if the clock is set back', () => {
  const { intent } = decide(after(pay('challenge')), simulated('succeeded'), at(-60))
  expect(updatedAt(intent)).toEqual(at(1))
})

test('keeps what a later release has added to the document', () => {
  const { intent } = decide(open, pay('challenge'), at(1))
  const state = stateOf(intent)
  const later = {
    ...intent,
    state: {
      ...state,
      added: 1,
      confirmations: state.confirmations.map((each) => ({ ...each, added: 2 })),
    },
  }
  const next = decide(later, simulated('succeeded'), at(2)).intent
  expect(next.state).toMatchObject({ added: 1, confirmations: [{ added: 2, state: 'succeeded' }] })
})

const token = fc.constantFrom('a', 'b', 'c', 'd')
const anyCause: fc.Arbitrary<Cause | { readonly type: 'confirmed now'; readonly cause: Cause }> =
  fc.oneof(
    fc.record({
      type: fc.constant('confirmed now' as const),
      cause: fc
        .tuple(
          fc.constantFrom(...Object.keys(testCards)),
          fc.string({ minLength: 16, maxLength: 64 }),
        )
        .map(([card, attempt]) => pay(card as keyof typeof testCards, attempt)),
    }),
    fc.constantFrom(...Object.keys(testCards)).map((card) => pay(card as keyof typeof testCards)),
    fc.record({
      type: fc.constant('challenge_opened' as const),
      token,
      origin: fc.constant('https://shop.example'),
      returnPage: fc.option(
        fc
          .string({ minLength: 8000, maxLength: 8192, unit: 'grapheme-ascii' })
          .map((text) => text.replace(/["\\]/g, '-')),
      ),
    }),
    fc
      .tuple(token, token, fc.constantFrom('challenge' as const, 'redirect' as const))
      .map((each) => enter(...each)),
    fc
      .tuple(fc.constantFrom('1234', '0000', '9999', '1', undefined), token, token)
      .map((each) => answer(...each)),
    fc.constantFrom<Cause>(
      { type: 'challenge_canceled' },
      { type: 'canceled' },
      { type: 'time_passed' },
    ),
    fc
      .constantFrom(
        'succeeded',
        'declined',
        'failed',
        'requires_action',
        'processing',
        'canceled',
        'expired',
      )
      .map((outcome) => simulated(outcome as 'succeeded')),
  )
const step = fc.record({
  // A press of Pay is the most frequent one, so that all ten confirmations are reached.
  cause: fc.oneof({ weight: 3, arbitrary: anyCause }, { weight: 4, arbitrary: anyCause }),
  // The clock of a test environment can be set back.
  minutes: fc.oneof(
    { weight: 8, arbitrary: fc.nat({ max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: -600, max: 1500 }) },
  ),
})

test('keeps its invariants for random causes in random order at random times', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    await setImmediate()
    let intent = open
    let now = 0
    for (const { cause: drawn, minutes } of steps) {
      now += minutes
      const cause =
        drawn.type === 'confirmed now'
          ? ({ ...drawn.cause, version: intent.version } as Cause)
          : drawn
      const before = intent
      const { intent: next, rejection } = decide(before, cause, at(now))
      intent = next
      expectInvariants(next)
      const [old, events] = [stateOf(before).events, stateOf(next).events]
      expect(updatedAt(next).getTime()).toBeGreaterThanOrEqual(updatedAt(before).getTime())
      expect(events.slice(0, old.length)).toEqual(old)
      if (before.finalizedAt) expect(next).toBe(before)
      const due = dueAt(next)
      if (due) expect(due.getTime()).toBeGreaterThan(at(now).getTime())
      // A code is used once.
      if ('next' in cause && !rejection && cause.next !== cause.token) {
        expect(decide(next, cause, at(now)).rejection).toBeDefined()
      }
      if (rejection) expect(afterDeadlines(before, at(now))).toEqual(next)
    }
  })
  await fc.assert(property, { numRuns: 500 })
})

function expectInvariants(intent: Intent): void {
  const { status, version, finalizedAt } = intent
  const { confirmations, events, challenge } = stateOf(intent)
  const open = confirmations.filter(isOpen)
  const waits = status === 'requires_action' || status === 'processing'
  expect([version, status]).toEqual([
    events.length + 1,
    events.at(-1)?.status ?? 'requires_payment_method',
  ])
  expect([challenge !== null, finalizedAt !== null]).toEqual([
    status === 'requires_action',
    isFinal(status),
  ])
  expect(open).toEqual(waits ? confirmations.slice(-1) : [])
  const paid = confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null)
  expect(paid.map(({ state }) => state)).toEqual(status === 'succeeded' ? ['succeeded'] : [])
  const ids = confirmations.map(({ confirmationId }) => confirmationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(confirmations.length).toBeLessThanOrEqual(10)
  expect(events.length).toBeLessThanOrEqual(31)
  expect(Buffer.byteLength(JSON.stringify(intent.state))).toBeLessThanOrEqual(64 * 1024)
}
