import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { randomSalt } from '../../src/ids.ts'
import { createBatch } from '../../src/intents/create.ts'
import { updatedAt } from '../../src/intents/intent.ts'
import { reap, startReaper } from '../../src/intents/reaper.ts'
import { change, createIntentStore } from '../../src/intents/store.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import { hashes, newIntent, observed, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(start.getTime() + hours * 3600_000)

/** Creates an intent in a new environment whose clock is this many hours ahead. */
async function createIn(merchant: string, hoursAhead = 0): Promise<string> {
  const { id: environmentId } = await ensureEnvironment(db, { merchant, mode: 'test' }, start)
  await db.query`
    update environments set clock_offset = ${hoursAhead * 3600_000} where id = ${environmentId}`
  const createdAt = after(Math.min(hoursAhead, 0))
  const intent = newIntent({ environmentId, createdAt })
  await createBatch(db)({ intent, key: hashes(1) })
  return intent.id
}

async function reapAt(hours: number, signal?: AbortSignal): Promise<void> {
  await reap({ db, now: () => after(hours) }, signal)
}

async function rowOf(id: string): Promise<{ status: string; at: Date; hasKey: boolean }> {
  const intent = await createIntentStore({ db, now: () => start }).find(id)
  const [row] = await db.query<{ hasKey: boolean }>`
    select key_hash is not null as "hasKey" from intents where id = ${id}`
  if (!intent || !row) throw new Error('missing')
  return { ...row, status: intent.status, at: updatedAt(intent) }
}

test('expires an intent that no request reads at its deadline, in environment time', async () => {
  const real = await createIn('Real time')
  const ahead = await createIn('Ahead', 20)
  await reapAt(5)
  expect((await rowOf(real)).status).toBe('requires_payment_method')
  expect(await rowOf(ahead)).toMatchObject({ status: 'expired', at: after(24) })
  await reapAt(24)
  expect((await rowOf(real)).status).toBe('expired')
})

test('expires a due intent although another environment has more than a round can change', async () => {
  const busy = await openTestStore()
  await busy.query`
    insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
    values ('env_00', 'mer_books', 'live', ${randomSalt(32)}, ${start})`
  const draft = async (environmentId: string) => {
    const intent = newIntent({ environmentId, createdAt: after(-24) })
    await createBatch(busy)({ intent })
    return intent.id
  }
  const due = [await draft('env_live'), await draft('env_other')]
  for (const backlog of ['env_00', 'env_test']) {
    await busy.query`
      insert into intents (id, environment_id, amount, currency, order_id, secret_kid, due_at, created_at)
      select ${backlog} || n, ${backlog}, 1, 'EUR', 'A', 'k1', ${after(-36)}, ${after(-60)}
        from generate_series(1, 5000) n`
  }
  await reap({ db: busy, now: () => start })
  expect(
    await busy.query`select from intents where id = any(${due}) and status = 'expired'`,
  ).toHaveLength(2)
  const left = await busy.query`select from intents where status <> 'expired'`
  expect(left.length).toBeGreaterThan(1000)
})

test('ends a challenge at its deadline, long before that of its intent', async () => {
  const draft = newIntent({ createdAt: start })
  const store = createIntentStore({ db, now: () => start })
  await store.create({ intent: draft })
  const authorization = authorizeTestCard('challenge', { expMonth: 12, expYear: 2040 })
  await change(store, draft.id, {
    type: 'confirmed',
    confirmationId: 'confirmation-0001',
    version: 1,
    authorization,
    providerPaymentId: 'sim_1',
  })
  expect((await rowOf(draft.id)).status).toBe('requires_action')
  await reapAt(1)
  expect((await rowOf(draft.id)).status).toBe('requires_payment_method')
})

test.each([
  ['of real time', 0],
  ['of a clock that is three days behind', -72],
] as const)('stores an idempotency key for 48 hours %s', async (_, hoursAhead) => {
  const id = await createIn(`Keys ${hoursAhead}`, hoursAhead)
  await reapAt(47)
  expect((await rowOf(id)).hasKey).toBe(true)
  await reapAt(48)
  expect((await rowOf(id)).hasKey).toBe(false)
})

test('ends a round after its running batch at a stop', async () => {
  const busy = await openTestStore()
  await busy.query`
    insert into intents (id, environment_id, amount, currency, order_id, secret_kid, due_at, created_at)
    select 'pi_' || lpad(n::text, 24, '0'), 'env_other', 1, 'EUR', 'A', 'k1', ${start}, ${after(-24)}
      from generate_series(1, 1000) n`
  const open = async () =>
    await busy.query`select from intents where status = 'requires_payment_method'`
  const stopping = new AbortController()
  let batches = 0
  const counted = observed(busy, (text) => {
    if (text.includes('update intents i') && ++batches === 2) stopping.abort()
  })
  await reap({ db: counted, now: () => after(1) }, stopping.signal)
  expect(await open()).toHaveLength(900)
  await reap({ db: busy, now: () => after(1) }, AbortSignal.abort())
  expect(await open()).toHaveLength(900)
})

test('deletes final intents after the retention time, and only those', async () => {
  const days = (count: number): Date => after(24 * count)
  const name = { merchant: 'Old', mode: 'test' } as const
  const { id: environmentId } = await ensureEnvironment(db, name, start)
  const rows = [
    ['old', days(-40), days(-31), false],
    ['recently final', days(-40), days(-29), false],
    ['created a day before', days(-30.9), days(-30.5), false],
    ['not final', days(-40), null, false],
    ['with a key', days(-40), days(-31), true],
  ] as const
  for (const [id, createdAt, finalizedAt, hasKey] of rows) {
    const intent = newIntent({ id, environmentId, createdAt })
    await createBatch(db)({ intent, key: hasKey ? hashes(7) : undefined })
    await db.query`
      update intents
         set status = ${finalizedAt ? 'canceled' : 'processing'}, finalized_at = ${finalizedAt},
             due_at = null, key_expires_at = ${hasKey ? days(1) : null}
       where id = ${id}`
  }
  const kept = async () => {
    const found = await db.query<{ id: string }>`
      select id from intents where environment_id = ${environmentId} order by id`
    return found.map(({ id }) => id)
  }
  await reapAt(0)
  expect(await kept()).toHaveLength(5)
  await reap({ db, now: () => start, retentionDays: 30 })
  const [, ...others] = rows.map(([id]) => id)
  expect(await kept()).toEqual(others.toSorted())
  // No round may delete it.
  await db.query`delete from intents where id = 'with a key'`
})

test('runs a round every ten seconds until it is stopped, and logs one that fails', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  let rounds = 0
  const query = async () => {
    rounds++
    throw new Error('the store is away')
  }
  const stop = startReaper({ db: { ...db, query }, now: () => start, log })
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
})
