import { testCards } from '@pi-checkout/contract/sandbox'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { confirm } from '../../src/checkout/confirm.ts'
import { randomSalt } from '../../src/ids.ts'
import { createBatch } from '../../src/intents/create-batch.ts'
import { reap, startReaper } from '../../src/intents/reaper.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { authorize } from '../../src/provider/acquirer.ts'
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
  const draft = newIntent({ environmentId, createdAt, idempotency: hashes(1) })
  await createBatch(db)(draft)
  return draft.id
}

async function reapAt(hours: number, signal?: AbortSignal): Promise<void> {
  await reap({ db, now: () => after(hours) }, signal)
}

async function rowOf(id: string): Promise<{ status: string; at: Date; hasKey: boolean }> {
  const [row] = await db.query<{ status: string; at: Date; hasKey: boolean }>`
    select status, updated_at as at, idempotency_hash is not null as "hasKey"
      from payment_intents where id = ${id}`
  if (!row) throw new Error('missing')
  return row
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

test('ends a challenge at its deadline, long before that of its intent', async () => {
  const draft = newIntent({ createdAt: start })
  await createBatch(db)(draft)
  const card = { number: testCards.challenge, expMonth: 12, expYear: 2040, cvc: '123' }
  const authorization = authorize(card)
  if (!authorization) throw new Error('no test card')
  const confirmation = { attemptId: 'attempt-0000000001', version: 1, authorization }
  await confirm({ db, now: () => start }, draft, confirmation)
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

test('rolls its batch back at a stop', async () => {
  await db.query`
    insert into payment_intents (id, environment_id, amount, currency, order_id, secret_salt,
                                 secret_kid, expires_at, created_at, updated_at)
    select 'pi_' || lpad(n::text, 24, '0'), 'env_other', 1, 'EUR', 'A', ${randomSalt(16)}, 'k1',
           ${start}, ${after(-1)}, ${after(-1)}
      from generate_series(1, 1000) n`
  const open = async () =>
    await db.query`
    select from payment_intents
     where environment_id = 'env_other' and status = 'requires_payment_method'`
  const stopping = new AbortController()
  let moves = 0
  const onQuery = (text: string): void => {
    // In the middle of the second batch.
    if (text.includes('with moved') && ++moves === 75) stopping.abort()
  }
  const transaction: typeof db.transaction = async (work) =>
    await db.transaction(async (tx) => await work(observed({ ...db, ...tx }, onQuery)))
  const counted = { db: { ...db, transaction }, now: () => after(1) }
  await expect(reap(counted, stopping.signal)).rejects.toThrow()
  expect(moves).toBe(75)
  expect(await open()).toHaveLength(950)
  await reapAt(1, AbortSignal.abort())
  expect(await open()).toHaveLength(950)
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
    const idempotency = hasKey && { idempotency: hashes(7) }
    await createBatch(db)(newIntent({ id, environmentId, createdAt, ...idempotency }))
    await db.query`
      update payment_intents
         set status = ${finalizedAt ? 'canceled' : 'processing'}, finalized_at = ${finalizedAt},
             payment_method = ${finalizedAt ? null : '{}'}::json,
             idempotency_expires_at = ${hasKey ? days(1) : null}
       where id = ${id}`
  }
  const kept = async () => {
    const found = await db.query<{ id: string }>`
      select id from payment_intents where environment_id = ${environmentId} order by id`
    return found.map(({ id }) => id)
  }
  await reapAt(0)
  expect(await kept()).toHaveLength(5)
  await reap({ db, now: () => start, retentionDays: 30 })
  const [, ...others] = rows.map(([id]) => id)
  expect(await kept()).toEqual(others.toSorted())
})

test('deletes all tokens of a final intent after ten minutes, a part in each round', async () => {
  const tokensOf = async (status: 'canceled' | 'requires_payment_method', count: number) => {
    const draft = newIntent({ createdAt: start })
    await createBatch(db)(draft)
    const finalizedAt = status === 'canceled' ? start : null
    await db.query`
      update payment_intents set status = ${status}, finalized_at = ${finalizedAt}
       where id = ${draft.id}`
    await db.query`
      insert into payment_attempts (intent_id, attempt_id, state, payment_method, outcome, created_at, updated_at)
      values (${draft.id}, 'a', 'challenge', '{}', 'x', ${start}, ${start})`
    await db.query`
      insert into challenges (id, intent_id, attempt_id, presentation, expires_at, created_at)
      values (${draft.id}, ${draft.id}, 'a', 'frame', ${start}, ${start})`
    await db.query`
      insert into challenge_tokens
      select sha256((${draft.id}::text || n)::bytea), ${draft.id} from generate_series(1, ${count}::int) n`
    return async () =>
      (await db.query`select from challenge_tokens where challenge_id = ${draft.id}`).length
  }
  const [final, open] = [
    await tokensOf('canceled', 9000),
    await tokensOf('requires_payment_method', 1500),
  ]
  const progress = { token: null }
  const round = async (hours: number) => {
    await reap({ db, now: () => after(hours) }, undefined, progress)
    return [await final(), await open()]
  }
  // A round examines 10,000 tokens, and the next one continues.
  for (let rounds = 0; rounds < 2; rounds++) {
    expect(await round(1 / 6 - 1 / 3600)).toEqual([9000, 1500])
  }
  const [left] = await round(1 / 6)
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(500)
  expect(await round(1 / 6)).toEqual([0, 1500])
})

test('continues until nothing is due, then sends each statement once', async () => {
  const long = after(24 * -40)
  await db.query`delete from challenge_tokens`
  await db.query`
    insert into payment_intents (id, environment_id, amount, currency, order_id, secret_kid, status,
                                 finalized_at, expires_at, created_at, updated_at, idempotency_hash,
                                 idempotency_fingerprint, idempotency_expires_at)
    select 'pi_due_' || n, 'env_live', 1, 'EUR', 'A', 'k1', 'canceled', ${long}, ${start}, ${long},
           ${long}, sha256(n::text::bytea), sha256(''), ${long}
      from generate_series(1, 201) n`
  let sent = 0
  const counted = observed(db, () => sent++)
  const transaction: typeof db.transaction = async (work) => {
    sent++
    return await db.transaction(work)
  }
  const round = async () =>
    await reap({ db: { ...counted, transaction }, now: () => start, retentionDays: 30 })
  await round()
  expect(await db.query`select from payment_intents where environment_id = 'env_live'`).toEqual([])
  sent = 0
  await round()
  expect(sent).toBe(4)
})

test('runs a round every ten seconds until it is stopped, and logs one that fails', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  let rounds = 0
  const transaction = async () => {
    rounds++
    throw new Error('the store is away')
  }
  const stop = startReaper({ db: { ...db, transaction }, now: () => start, log })
  for (let round = 1; round <= 2; round++) {
    vi.advanceTimersByTime(9_999)
    expect(rounds).toBe(round - 1)
    vi.advanceTimersByTime(1)
    await expect.poll(() => lines).toHaveLength(round)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      ...{ level: 40, msg: 'A reaper round failed', error: { message: 'the store is away' } },
    })
  }
  await stop()
  vi.advanceTimersByTime(60_000)
  expect([rounds, vi.getTimerCount()]).toEqual([2, 0])
})

test('a stop ends the running round without a line in the log', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  let fail = (_error: Error): void => {}
  const transaction = async () =>
    await new Promise<never>((_resolve, reject) => {
      fail = reject
    })
  const stop = startReaper({ db: { ...db, transaction }, now: () => start, log })
  vi.advanceTimersByTime(10_000)
  await new Promise(setImmediate)
  const stopped = stop()
  fail(new Error('rolled back'))
  await stopped
  expect(lines).toEqual([])
})
