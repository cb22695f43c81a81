import { setImmediate } from 'node:timers/promises'
import { isFinal } from '@pi-checkout/contract'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { dueAt } from '../../src/intents/deadlines.ts'
import { type Intent, stateOf, updatedAt } from '../../src/intents/intent.ts'
import { afterDeadlines, type Cause, decide } from '../../src/intents/lifecycle.ts'
import { answer, asked, enter, opened, pay, simulated } from '../support/causes.ts'
import { newIntent } from '../support/store.ts'

const created = new Date('2026-11-20T12:00:00.000Z')
const at = (minutes: number): Date => new Date(created.getTime() + minutes * 60_000)
const open = newIntent({ createdAt: created })
const canceled: Cause = { type: 'canceled' }
const challengeCanceled: Cause = { type: 'challenge_canceled' }

/** Applies causes a minute apart, all of which are accepted. */
function after(...causes: readonly Cause[]): Intent {
  return causes.reduce((intent, cause, index) => {
    const { intent: next, rejection } = decide(intent, cause, at(index + 1))
    expect(rejection).toBeUndefined()
    return next
  }, open)
}

test.each<[cause: Cause, before: readonly Cause[], rejection?: string]>([
  [pay('visa', 'attempt-2'), [pay('challenge')], 'confirmation_in_progress'],
  [pay('visa', 'attempt-2'), [pay('pending')], 'confirmation_in_progress'],
  [pay('visa', 'attempt-2'), [pay('visa')], 'intent_finalized'],
  [pay('visa', 'attempt-2'), [pay('declined')], 'version_conflict'],
  [canceled, [pay('pending')], 'confirmation_in_progress'],
  [canceled, [pay('visa')], 'intent_finalized'],
  [challengeCanceled, [pay('pending')], 'version_conflict'],
  [challengeCanceled, [pay('visa')], 'intent_finalized'],
  [opened(), [], 'version_conflict'],
  [enter('x', 'y'), [pay('challenge'), opened()], 'version_conflict'],
  [enter('a', 'y', 'redirect'), [pay('challenge'), opened()], 'version_conflict'],
  [answer('1234', 'a'), asked, 'version_conflict'],
  [simulated('requires_action'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('expired'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('canceled'), [pay('pending')], 'confirmation_in_progress'],
  [simulated('succeeded'), [pay('visa')], 'intent_finalized'],
  // What is repeated has no effect, and is no error.
  [pay('visa'), [pay('visa')]],
  [pay('visa', 'attempt-1', 7), [pay('challenge')]],
  [canceled, [canceled]],
  [challengeCanceled, [pay('challenge'), challengeCanceled]],
  [simulated('processing'), [pay('pending')]],
  [simulated('requires_action'), [pay('challenge')]],
])('changes nothing with %j after %j: %s', (cause, before, rejection) => {
  const intent = after(...before)
  const decision = decide(intent, cause, at(9))
  expect(decision.intent).toBe(intent)
  expect(decision.rejection).toBe(rejection)
})

test('cancels an intent whose clientSecret is revoked, and rejects its buyer', () => {
  const revoked = { ...open, revokedAt: at(0) }
  for (const cause of [pay(), canceled, opened(), enter()]) {
    const { intent, rejection } = decide(revoked, cause, at(1))
    expect([intent.status, rejection]).toEqual(['canceled', 'payment_intent_not_found'])
  }
  // A payment that the bank is processing may succeed.
  const processing = after(pay('pending'), { type: 'revoked' })
  expect(decide(processing, { type: 'time_passed' }, at(3)).intent).toBe(processing)
  expect(decide(processing, simulated('succeeded'), at(3)).intent.status).toBe('succeeded')
  expect(decide(processing, simulated('declined'), at(3)).intent.status).toBe('canceled')
  // A final intent stays as it is.
  const { intent: paid } = decide(after(pay('visa')), { type: 'revoked' }, at(9))
  expect(paid).toMatchObject({ status: 'succeeded', finalizedAt: at(1), revokedAt: at(9) })
})

test('expires an intent after 24 hours, a challenge after ten minutes', () => {
  expect(dueAt(open)).toEqual(at(24 * 60))
  expect(afterDeadlines(open, at(24 * 60 - 1))).toBe(open)
  const expired = { status: 'expired', finalizedAt: at(24 * 60) }
  expect(afterDeadlines(open, at(99 * 60))).toMatchObject({ ...expired, version: 2 })
  const challenged = after(pay('challenge'))
  expect(dueAt(challenged)).toEqual(at(11))
  const late = afterDeadlines(challenged, at(99 * 60))
  const causes = stateOf(late).events.map(({ cause }) => cause)
  expect(causes).toEqual(['confirmed', 'challenge_timed_out', 'expired'])
  expect(late).toMatchObject({ ...expired, version: 4 })
  const failure = { declineCode: 'authentication_timed_out', retryable: true }
  expect(stateOf(late).confirmations).toMatchObject([{ failure }])
  const paidLate = decide(open, pay('challenge'), at(24 * 60 - 5)).intent
  expect(dueAt(paidLate)).toEqual(at(24 * 60))
  expect(afterDeadlines(paidLate, at(24 * 60))).toMatchObject({ ...expired, version: 3 })
})

test('applies passed deadlines before a cause', () => {
  const late = decide(after(pay('challenge')), pay('visa', 'attempt-2', 3), at(20))
  expect(late).toMatchObject({ intent: { status: 'succeeded', version: 5 } })
  const tooLate = decide(open, pay(), at(24 * 60))
  expect(tooLate).toMatchObject({ intent: { status: 'expired' }, rejection: 'intent_finalized' })
})

test('keeps what a later release has added to the document', () => {
  const intent = after(pay('challenge'))
  const state = stateOf(intent)
  const confirmations = state.confirmations.map((each) => ({ ...each, added: 2 }))
  const later = { ...intent, state: { ...state, confirmations, added: 1 } }
  const next = decide(later, simulated('succeeded'), at(2)).intent
  expect(next.state).toMatchObject({ added: 1, confirmations: [{ added: 2 }] })
})

const cards = fc.constantFrom(...(Object.keys(testCards) as TestCardName[]))
const attempts = fc.oneof(fc.constant('attempt-1'), fc.string({ minLength: 16, maxLength: 64 }))
const tokens = fc.constantFrom('a', 'b', 'c', 'd')
const displays = fc.constantFrom('challenge' as const, 'redirect' as const)
const codes = fc.constantFrom('1234', '0000', '9999', '1', undefined)
const outcomes = fc.constantFrom(...simulatedOutcomes)
const pages = fc
  .string({ minLength: 8000, maxLength: 8192, unit: 'grapheme-ascii' })
  .map((text) => text.replace(/["\\]/g, '-'))

const anyCause: fc.Arbitrary<Cause> = fc.oneof(
  // A press of Pay is the most frequent one, so that all ten confirmations are reached.
  { weight: 2, arbitrary: fc.tuple(cards, attempts).map((each) => pay(...each)) },
  fc.tuple(tokens, fc.option(pages)).map((each) => opened(...each)),
  fc.tuple(tokens, tokens, displays).map((each) => enter(...each)),
  fc.tuple(codes, tokens, tokens).map((each) => answer(...each)),
  fc.constantFrom(challengeCanceled, canceled, { type: 'time_passed' } as const),
  outcomes.map(simulated),
)
const step = fc.record({
  cause: anyCause,
  knowsVersion: fc.boolean(),
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
    for (const { cause: drawn, knowsVersion, minutes } of steps) {
      now += minutes
      const isCurrent = drawn.type === 'confirmed' && knowsVersion
      const cause = isCurrent ? { ...drawn, version: intent.version } : drawn
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
  await fc.assert(property, { numRuns: 250 })
})

function expectInvariants(intent: Intent): void {
  const { status, version, finalizedAt } = intent
  const { confirmations, events, challenge } = stateOf(intent)
  const waits = status === 'requires_action' || status === 'processing'
  const shown = events.at(-1)?.status ?? 'requires_payment_method'
  expect([version, status]).toEqual([events.length + 1, shown])
  const expected = [status === 'requires_action', isFinal(status)]
  expect([challenge !== null, finalizedAt !== null]).toEqual(expected)
  const undecided = confirmations.filter((each) => !each.failure && !each.providerPaymentId)
  const isAbandoned = ['canceled', 'expired'].includes(status) && undecided.length > 0
  expect(undecided).toEqual(waits || isAbandoned ? confirmations.slice(-1) : [])
  const paid = confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null)
  expect(paid).toEqual(status === 'succeeded' ? confirmations.slice(-1) : [])
  const ids = confirmations.map(({ confirmationId }) => confirmationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(confirmations.length).toBeLessThanOrEqual(10)
  expect(events.length).toBeLessThanOrEqual(31)
  expect(Buffer.byteLength(JSON.stringify(intent.state))).toBeLessThanOrEqual(64 * 1024)
}
