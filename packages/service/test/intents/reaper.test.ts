import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { updatedAt } from '../../src/intents/intent.ts'
import { reap, startReaper } from '../../src/intents/reaper.ts'
import { change, createIntentStore } from '../../src/intents/store.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import { type Statement, sql } from '../../src/store/sql.ts'
import { hashes, insertEnvironment, newIntent, observed, stores } from '../support/store.ts'

const start = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(start.getTime() + hours * 3600_000)
const log = pino({ enabled: false })

function insertDue(environmentId: string, number: number): Statement {
  return sql`
    insert into intents (id, environment_id, revision, version, status, amount, currency, order_id,
                         due_at, created_at)
    values (${`${environmentId}${number}`}, ${environmentId}, 1, 1, 'requires_payment_method', 1, 'EUR',
            'A', ${after(-36).getTime()}, ${after(-60).getTime()})`
}

describe.each(stores)('%s', async (name, open) => {
  const db = await open()
  const store = createIntentStore({ db, now: () => start })

  /** Creates an intent in a new environment whose clock is this many hours ahead. */
  async function createIn(merchant: string, hoursAhead = 0): Promise<string> {
    const { id: environmentId } = await ensureEnvironment(db, { merchant, mode: 'test' }, start)
    await db.query(sql`
      update environments set clock_offset = ${hoursAhead * 3600_000} where id = ${environmentId}`)
    const intent = newIntent({ environmentId, createdAt: after(Math.min(hoursAhead, 0)) })
    await store.create({ intent, key: hashes(1) })
    return intent.id
  }

  async function reapAt(hours: number): Promise<void> {
    await reap({ db, now: () => after(hours), log })
  }

  async function intentOf(id: string): Promise<{ status: string; at: Date }> {
    const intent = await store.find(id)
    if (!intent) throw new Error('missing')
    return { status: intent.status, at: updatedAt(intent) }
  }

  test('expires an intent that no request reads at its deadline, in environment time', async () => {
    const real = await createIn('Real time')
    const ahead = await createIn('Ahead', 20)
    await reapAt(5)
    expect((await intentOf(real)).status).toBe('requires_payment_method')
    expect(await intentOf(ahead)).toMatchObject({ status: 'expired', at: after(24) })
    await reapAt(24)
    expect((await intentOf(real)).status).toBe('expired')
  })

  test('ends a challenge at its deadline, long before that of its intent', async () => {
    const { id } = await created()
    const authorization = authorizeTestCard('challenge', { expMonth: 12, expYear: 2040 })
    const ids = { confirmationId: 'confirmation-0001', providerPaymentId: 'sim_1' }
    await change(store, id, { type: 'confirmed', version: 1, authorization, ...ids })
    expect((await intentOf(id)).status).toBe('requires_action')
    await reapAt(1)
    expect((await intentOf(id)).status).toBe('requires_payment_method')
  })

  async function created(environmentId = 'env_test') {
    const intent = newIntent({ environmentId, createdAt: start })
    await store.create({ intent })
    return intent
  }

  test('leaves and logs one intent that it cannot read, and reaps all others', async () => {
    const [first, broken, later] = [await created(), await created(), await created('env_live')]
    for (const state of ['{"v":9}', 'not JSON']) {
      await db.query(sql`update intents set state = ${state}, due_at = 1 where id = ${broken.id}`)
      const lines: string[] = []
      const told = pino({}, { write: (line) => void lines.push(line) })
      await reap({ db, now: () => after(24), log: told })
      expect((await intentOf(first.id)).status).toBe('expired')
      expect((await intentOf(later.id)).status).toBe('expired')
      const { error, msg } = JSON.parse(lines[0] ?? '{}')
      expect([lines.length, msg]).toEqual([1, 'Cannot apply the deadline of an intent'])
      expect(error.message).toContain(`The stored intent ${broken.id} cannot be read`)
    }
    await db.query(sql`delete from intents where id = ${broken.id}`)
  })

  test('expires a due intent although another environment has more than a round can change', async () => {
    const due = [await created('env_live'), await created('env_other')]
    await db.query(insertEnvironment('env_00', 'mer_books', 'live'))
    const rows = ['env_00', 'env_test'].flatMap((id) =>
      Array.from({ length: 3000 }, (_, number) => insertDue(id, number)),
    )
    for (const environmentId of ['env_00', 'env_test']) {
      await db.transaction(rows.filter(({ values }) => values[1] === environmentId))
    }
    await reapAt(24)
    for (const { id } of due) expect((await intentOf(id)).status).toBe('expired')
    const open = sql`select 1 as one from intents where status = 'requires_payment_method' and due_at = ${after(-36).getTime()}`
    const left = (await db.query(open)).length
    expect(left).toBeGreaterThan(900)
    // A stop ends a round after its running page.
    const stopping = new AbortController()
    let pages = 0
    const counted = observed(db, ({ text }) => {
      if (text.includes('order by due_at, id') && ++pages === 2) stopping.abort()
    })
    await reap({ db: counted, now: () => after(24), log }, stopping.signal)
    expect((await db.query(open)).length).toBe(left - 100)
    await db.query(sql`delete from intents where due_at = ${after(-36).getTime()}`)
  })

  test.runIf(name === 'SQLite')(
    'runs a round every ten seconds until it is stopped, and logs one that fails',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const lines: string[] = []
      const told = pino({}, { write: (line) => void lines.push(line) })
      let rounds = 0
      const query = async () => {
        rounds++
        throw new Error('the store is away')
      }
      const stop = startReaper({ db: { ...db, query }, now: () => start, log: told })
      for (let round = 1; round <= 2; round++) {
        vi.advanceTimersByTime(9_999)
        expect(rounds).toBe(round - 1)
        vi.advanceTimersByTime(1)
        await expect.poll(() => lines).toHaveLength(round)
        expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
          level: 40,
          msg: 'A reaper round failed',
          error: { message: 'the store is away' },
        })
      }
      await stop()
      vi.advanceTimersByTime(60_000)
      expect([rounds, vi.getTimerCount()]).toEqual([2, 0])
    },
  )
})
