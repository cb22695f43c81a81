import { join } from 'node:path'
import type { testCards } from '@pi-checkout/contract/sandbox'
import { expect, test } from 'vitest'
import { type Intent, stateOf } from '../../src/intents/intent.ts'
import type { Cause } from '../../src/intents/lifecycle.ts'
import {
  type Changed,
  change,
  createIntentStore,
  type IntentStore,
} from '../../src/intents/store.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import type { Database } from '../../src/store/database.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { hashes, newIntent, openTestPostgres, openTestStore } from '../support/store.ts'

const created = new Date('2026-11-20T12:00:00.000Z')
const rounds = 10

/** Two instances of the service, or two connections to one file, as a service and a command have. */
interface Subject {
  readonly stores: readonly IntentStore[]
  setTime(hours: number): void
}

async function subjectOf(dbs: readonly Database[]): Promise<Subject> {
  let now = created
  const stores = dbs.map((db) => createIntentStore({ db, now: () => now }))
  const setTime = (hours: number): void => {
    now = new Date(created.getTime() + hours * 3600_000)
  }
  return { stores, setTime }
}

const file = join(temporaryFolder(), 'store.db')
const embedded = await openTestStore(file)
const other = openSqlite(file)
const first = await openTestPostgres()
const second = await openPostgres(first.url)
atEnd(async () => await Promise.all([other.close(), second.close()]))
const subjects = [
  ['SQLite', await subjectOf([embedded, other])],
  ['PostgreSQL', await subjectOf([first, second])],
] as const

let number = 0

function pay(card: keyof typeof testCards = 'visa', version = 1): Cause {
  const authorization = authorizeTestCard(card, { expMonth: 12, expYear: 2040 })
  number++
  const ids = { confirmationId: `confirmation-${number}`, providerPaymentId: `sim_${number}` }
  return { type: 'confirmed', version, authorization, ...ids }
}

const open: Cause = {
  type: 'challenge_opened',
  token: 'a',
  returnPage: null,
}
const enter: Cause = { type: 'challenge_entered', display: 'challenge', token: 'a', next: 'b' }

function answer(code: string): Cause {
  const ids = { token: 'b', next: `c-${++number}`, providerPaymentId: `sim_${number}` }
  return { type: 'challenge_answered', display: 'challenge', code, ...ids }
}

function simulate(outcome: 'succeeded' | 'declined' | 'canceled' | 'expired'): Cause {
  const ids = { confirmationId: `sandbox-${++number}`, providerPaymentId: `sim_${number}` }
  return { type: 'simulated', outcome, ...ids }
}

/** Creates an intent, applies the first causes, and then all others at once at both instances. */
async function race(
  { stores, setTime }: Subject,
  {
    first = [],
    causes,
    hours = 0,
  }: { first?: readonly Cause[]; causes: readonly Cause[]; hours?: number },
): Promise<{ readonly results: readonly (Changed | undefined)[]; readonly intent: Intent }> {
  setTime(0)
  const [one] = stores
  if (!one) throw new Error('no store')
  const intent = newIntent({ createdAt: created })
  await one.create({ intent })
  for (const cause of first) await change(one, intent.id, cause)
  setTime(hours)
  const results = await Promise.all(
    causes.map(async (cause, at) => {
      const store = stores[at % stores.length]
      return store && (await change(store, intent.id, cause))
    }),
  )
  const stored = await one.find(intent.id)
  if (!stored) throw new Error('missing')
  // At most one of all payments, and each event once.
  const { confirmations, events } = stateOf(stored)
  const paid = confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null)
  expect(paid.length).toBe(stored.status === 'succeeded' ? 1 : 0)
  expect(stored.version).toBe(1 + events.length)
  return { results, intent: stored }
}

function accepted(results: readonly (Changed | undefined)[]): number {
  return results.filter((result) => result && !result.rejection).length
}

for (const [name, subject] of subjects) {
  test(`${name}: accepts one of twenty confirmations at once`, async () => {
    for (let round = 0; round < rounds; round++) {
      const causes = Array.from({ length: 20 }, () => pay())
      const { results, intent } = await race(subject, { causes })
      expect(accepted(results)).toBe(1)
      expect(intent).toMatchObject({ status: 'succeeded', version: 3, revision: 2 })
    }
  })

  test(`${name}: returns one result for one confirmation that is sent twenty times`, async () => {
    const causes = Array(20).fill(pay())
    const { results } = await race(subject, { causes })
    expect(new Set(results.map((each) => JSON.stringify(each?.intent))).size).toBe(1)
    expect(accepted(results)).toBe(20)
  })

  test(`${name}: accepts a confirmation or a cancel or an outcome of the sandbox`, async () => {
    for (let round = 0; round < rounds; round++) {
      const causes = [pay(), { type: 'canceled' }, pay(), simulate('canceled')] as const
      const { intent } = await race(subject, { causes })
      expect(intent.status).toMatch(/^(succeeded|canceled)$/)
      const { intent: other } = await race(subject, { causes: [pay(), simulate('expired')] })
      expect(other.status).toMatch(/^(succeeded|expired)$/)
    }
  })

  test(`${name}: accepts no confirmation after the deadline, however many instances apply it`, async () => {
    const causes = [pay(), { type: 'time_passed' }, pay(), { type: 'time_passed' }] as const
    const { results, intent } = await race(subject, { causes, hours: 24 })
    expect(intent).toMatchObject({ status: 'expired', version: 2, revision: 2 })
    expect(accepted(results)).toBe(2)
  })

  test(`${name}: uses a code once, also beside a cancel`, async () => {
    const first = [pay('challenge'), open, enter]
    for (let round = 0; round < rounds; round++) {
      const codes = Array.from({ length: 8 }, () => answer('1234'))
      const { results, intent } = await race(subject, { first, causes: codes })
      expect(accepted(results)).toBe(1)
      expect(intent).toMatchObject({ status: 'succeeded', version: 4 })
      const causes = [answer('1234'), { type: 'challenge_canceled' }, answer('0000')] as const
      const { intent: other } = await race(subject, { first, causes })
      expect(other.status).toMatch(/^(succeeded|requires_payment_method)$/)
    }
  })

  test(`${name}: opens one challenge at forty pages at once (finding S8)`, async () => {
    const openings = Array.from({ length: 40 }, (_, at) => ({ ...open, token: `t-${at}` }))
    const { results } = await race(subject, { first: [pay('challenge')], causes: openings })
    expect(accepted(results)).toBe(40)
  })

  test(`${name}: creates one intent from twenty creates with one key (threat 20)`, async () => {
    const key = hashes(1)
    // After 48 hours the key has expired.
    for (const hours of [0, 48]) {
      const createdAt = new Date(created.getTime() + hours * 3600_000)
      const results = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const intent = newIntent({ createdAt })
          return await subject.stores[at % 2]?.create({ intent, key })
        }),
      )
      expect(results.filter((each) => each?.type === 'created')).toHaveLength(1)
      const ids = results.map((each) => each && 'intent' in each && each.intent.id)
      expect(new Set(ids).size).toBe(1)
    }
  })
}
