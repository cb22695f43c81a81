import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../../src/intents/intent.ts'
import type { Cause } from '../../src/intents/lifecycle.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { answer, asked, opened, pay, simulated } from '../support/causes.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { hashes, newIntent, openTestPostgres, openTestStore } from '../support/store.ts'

const createdAt = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(createdAt.getTime() + hours * 3600_000)

function times(count: number, cause: (at: number) => Cause): readonly Cause[] {
  return Array.from({ length: count }, (_, at) => cause(at))
}

const payOnce = (at: number): Cause => pay('visa', `attempt-${at}`)
const answerOnce = (at: number): Cause => answer('1234', 'b', `c-${at}`)
const canceled = { type: 'canceled' } as const
const challengeCanceled = { type: 'challenge_canceled' } as const
const timePassed = { type: 'time_passed' } as const

interface Race {
  readonly first?: readonly Cause[]
  /** Hours between creation and race. */
  readonly hours?: number
  readonly accepted?: number
}

const paidOnce = { status: 'succeeded', version: 3, revision: 2 }
const paidAfterCode = { status: 'succeeded', version: 4 }
const oneOf = (...statuses: string[]) => ({ status: expect.toBeOneOf(statuses) })
const cancels = [payOnce(0), canceled, payOnce(1), simulated('canceled')]
const expiry = [pay(), simulated('expired')]
const paidOrExpired = oneOf('succeeded', 'expired')
const codes = [answer('1234'), challengeCanceled, answer('0000', 'b', 'd')]
const paidOrDeclined = oneOf('succeeded', 'requires_payment_method')
const wrongCodes = [answer('1'), answer('2', 'b', 'd')]
const triedOnce = { state: { challenge: { tries: 1 } } }
const oneCode = { first: asked, accepted: 1 }
const deadlines = [payOnce(0), timePassed, payOnce(1), timePassed]
const expired = { status: 'expired', version: 2, revision: 2 }

/** The causes are sent at once, in turn to both instances. */
const races: [what: string, causes: readonly Cause[], result: object, race: Race][] = [
  ['accepts one of twenty confirmations', times(20, payOnce), paidOnce, { accepted: 1 }],
  ['charges once for a repeated confirmation', times(20, () => pay()), paidOnce, { accepted: 20 }],
  ['accepts a confirmation or a cancellation', cancels, oneOf('succeeded', 'canceled'), {}],
  ['accepts a confirmation or an outcome of the sandbox', expiry, paidOrExpired, {}],
  ['accepts no confirmation after the deadline', deadlines, expired, { hours: 24, accepted: 2 }],
  ['uses a code once', times(8, answerOnce), paidAfterCode, oneCode],
  ['accepts a code or a cancellation or a wrong code', codes, paidOrDeclined, { first: asked }],
  [
    'opens one challenge at forty pages (finding S8)',
    times(40, (at) => opened(`t-${at}`)),
    { status: 'requires_action' },
    { first: [pay('challenge')], accepted: 40 },
  ],
  ['counts one of two wrong codes with one token', wrongCodes, triedOnce, oneCode],
]

/** Two connections to one file, as a service and a command have, and two instances on one server. */
const subjects = [
  [
    'SQLite',
    async () => {
      const file = join(temporaryFolder(), 'store.db')
      return [await openTestStore(file), openSqlite(file)] as const
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const first = await openTestPostgres()
      return [first, await openPostgres(first.url)] as const
    },
  ],
] as const

describe.each(subjects)('%s', async (_, open) => {
  const [db, beside] = await open()
  atEnd(() => beside.close())
  let now = createdAt
  const one = createIntentStore({ db, now: () => now })
  const other = createIntentStore({ db: beside, now: () => now })
  const storeOf = (at: number) => (at % 2 === 0 ? one : other)

  async function race(causes: readonly Cause[], { first = [], hours = 0 }: Race) {
    now = createdAt
    const { id } = newIntent()
    await one.create({ intent: newIntent({ id, createdAt }) })
    for (const cause of first) await one.change(id, cause)
    now = after(hours)
    const changing = causes.map(async (cause, at) => await storeOf(at).change(id, cause))
    const results = await Promise.all(changing)
    const accepted = results.filter((each) => each && !each.rejection).length
    return { accepted, intent: await one.find(id) }
  }

  test.each(races)('%s', async (_, causes, result, given) => {
    for (let round = 0; round < 5; round++) {
      const { accepted, intent } = await race(causes, given)
      expect(intent).toMatchObject(result)
      if (!intent) continue
      if (given.accepted !== undefined) expect(accepted).toBe(given.accepted)
      // At most one payment, and each event once.
      const { confirmations, events } = stateOf(intent)
      const paid = confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null)
      expect(paid).toHaveLength(intent.status === 'succeeded' ? 1 : 0)
      expect(intent.version).toBe(1 + events.length)
    }
  })

  test('creates one intent from twenty creates with one key', async () => {
    const key = hashes(1)
    const creates = Array.from({ length: 20 }, async (_, at) => {
      const created = await storeOf(at).create({ intent: newIntent(), key })
      return [created.type, created.intent.id]
    })
    const results = await Promise.all(creates)
    expect(results.filter(([type]) => type === 'created')).toHaveLength(1)
    expect(new Set(results.map(([, id]) => id)).size).toBe(1)
  })
})
