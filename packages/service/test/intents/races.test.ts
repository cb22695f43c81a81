import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../../src/intents/intent.ts'
import type { Cause } from '../../src/intents/lifecycle.ts'
import { change, createIntentStore } from '../../src/intents/store.ts'
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
  readonly what: string
  readonly first?: readonly Cause[]
  /** Sent at once, in turn to both instances. */
  readonly causes: readonly Cause[]
  /** Hours between creation and race. */
  readonly hours?: number
  readonly accepted?: number
  readonly result: object
}

const paidOnce = { status: 'succeeded', version: 3, revision: 2 }
const oneOf = (...statuses: string[]) => ({ status: expect.toBeOneOf(statuses) })

const races: readonly Race[] = [
  {
    what: 'accepts one of twenty confirmations',
    causes: times(20, payOnce),
    accepted: 1,
    result: paidOnce,
  },
  {
    what: 'charges once for one confirmation that is sent twenty times',
    causes: times(20, () => pay()),
    accepted: 20,
    result: paidOnce,
  },
  {
    what: 'accepts a confirmation or a cancellation',
    causes: [payOnce(0), canceled, payOnce(1), simulated('canceled')],
    result: oneOf('succeeded', 'canceled'),
  },
  {
    what: 'accepts a confirmation or an outcome of the sandbox',
    causes: [pay(), simulated('expired')],
    result: oneOf('succeeded', 'expired'),
  },
  {
    what: 'accepts no confirmation after the deadline, however many instances apply it',
    causes: [payOnce(0), timePassed, payOnce(1), timePassed],
    hours: 24,
    accepted: 2,
    result: { status: 'expired', version: 2, revision: 2 },
  },
  {
    what: 'uses a code once',
    first: asked,
    causes: times(8, answerOnce),
    accepted: 1,
    result: { status: 'succeeded', version: 4 },
  },
  {
    what: 'accepts a code or a cancellation or a wrong code',
    first: asked,
    causes: [answer('1234'), challengeCanceled, answer('0000', 'b', 'd')],
    result: oneOf('succeeded', 'requires_payment_method'),
  },
  {
    what: 'opens one challenge at forty pages (finding S8)',
    first: [pay('challenge')],
    causes: times(40, (at) => opened(`t-${at}`)),
    accepted: 40,
    result: { status: 'requires_action' },
  },
  {
    what: 'counts one of two wrong codes with one token',
    first: asked,
    causes: [answer('1'), answer('2', 'b', 'd')],
    accepted: 1,
    result: { state: { challenge: { tries: 1 } } },
  },
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
  const dbs = await open()
  atEnd(() => dbs[1].close())
  let now = createdAt
  const stores = dbs.map((db) => createIntentStore({ db, now: () => now }))
  const [one, other] = stores as [(typeof stores)[0], (typeof stores)[0]]
  const storeOf = (at: number) => (at % 2 === 0 ? one : other)

  async function race({ first = [], causes, hours = 0 }: Race) {
    now = createdAt
    const { id } = newIntent()
    await one.create({ intent: newIntent({ id, createdAt }) })
    for (const cause of first) await change(one, id, cause)
    now = after(hours)
    const changing = causes.map(async (cause, at) => await change(storeOf(at), id, cause))
    const results = await Promise.all(changing)
    const accepted = results.filter((each) => each && !each.rejection).length
    return { accepted, intent: await one.find(id) }
  }

  test.each(races)('$what', async (given) => {
    for (let round = 0; round < 5; round++) {
      const { accepted, intent } = await race(given)
      expect(intent).toMatchObject(given.result)
      if (!intent) continue
      if (given.accepted !== undefined) expect(accepted).toBe(given.accepted)
      // At most one payment, and each event once.
      const { confirmations, events } = stateOf(intent)
      const paid = confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null)
      expect(paid).toHaveLength(intent.status === 'succeeded' ? 1 : 0)
      expect(intent.version).toBe(1 + events.length)
    }
  })

  test('creates one intent from twenty creates with one key, also after it has expired', async () => {
    const key = hashes(1)
    for (const hours of [0, 48]) {
      const creates = times(20, payOnce).map(async (_, at) => {
        const created = await storeOf(at).create({
          intent: newIntent({ createdAt: after(hours) }),
          key,
        })
        return [created.type, 'intent' in created && created.intent.id]
      })
      const results = await Promise.all(creates)
      expect(results.filter(([type]) => type === 'created')).toHaveLength(1)
      expect(new Set(results.map(([, id]) => id)).size).toBe(1)
    }
  })
})
