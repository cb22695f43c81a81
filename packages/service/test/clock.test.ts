import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SessionTokens } from '../src/checkout/sessions.ts'
import { createClock } from '../src/clock.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { createBatch } from '../src/intents/create.ts'
import { reap } from '../src/intents/reaper.ts'
import { readSecretKeys } from '../src/secret-keys.ts'
import { atEnd, startPostgres } from './support/lifetime.ts'
import { created, startTestService } from './support/service.ts'
import { hashes, newIntent } from './support/store.ts'

const hour = 3600_000
const { env } = await startPostgres()
const service = await startTestService(env)
const db = await openPostgres(env.PI_DATABASE_URL)
atEnd(() => db.close())

function machine(ahead: number): () => Date {
  return () => new Date(Date.now() + ahead)
}

/** Returns the clock of an instance after its start. */
async function comparedClock(ahead: number) {
  const clock = createClock({ db, log: pino({ enabled: false }) }, machine(ahead))
  await clock.compare()
  return clock
}

function secondsAhead(time: Date): number {
  // Not -0, if a millisecond has passed.
  return Math.round((time.getTime() - Date.now()) / 1000) || 0
}

test('uses the time of the database beyond 2 seconds, and is not ready beyond 60', async () => {
  let database: number | Error = 0
  let machineAhead = 0
  const logged: { level: number; msg: string }[] = []
  const options = { base: null, timestamp: false }
  const log = pino(options, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const query = async () => {
    if (database instanceof Error) throw database
    return [{ at: machine(database)() }]
  }
  const clock = createClock({ db: { kind: 'postgres', query } as never, log }, () =>
    machine(machineAhead)(),
  )
  const state = () => [secondsAhead(clock.now()), clock.fault(), logged.splice(0)]
  const line = (level: number, start: string) => ({ level, msg: expect.stringMatching(start) })
  const far = 'The clocks of this machine and the database differ by 61 seconds.'
  for (const [difference, expected] of [
    [1900, [0, undefined, []]],
    [3000, [3, undefined, [line(40, 'differ by 3 seconds. This instance uses')]]],
    [3000, [3, undefined, []]],
    [-61_000, [-61, far, [line(50, `${far} .* /readyz returns 503`)]]],
    [-3000, [-3, undefined, [line(40, 'differ by 3 seconds')]]],
    [1000, [0, undefined, [line(30, 'agree again')]]],
  ] as const) {
    database = difference
    await clock.compare()
    expect(state()).toEqual(expected)
  }

  database = 3000
  await clock.compare()
  database = new Error('no connection')
  await expect(clock.compare()).rejects.toThrow('no connection')
  // An operator sets the clock: the time of the database does not move with it.
  machineAhead = hour
  expect(secondsAhead(clock.now())).toBe(3)
})

test('releases keys and judges sessions by the time of the database', async () => {
  const [row] = await db.query<{ id: string }>`select id from environments limit 1`
  const environmentId = String(row?.id)
  const intent = newIntent({ environmentId })
  await createBatch(db)({ intent, key: hashes(1) })
  const keys = async () =>
    await db.query`
    select from intents where id = ${intent.id} and key_hash is not null`
  await reap({ db, now: (await comparedClock(49 * hour)).now })
  expect(await keys()).toHaveLength(1)
  await reap({ db, now: machine(49 * hour) })
  expect(await keys()).toHaveLength(0)

  const tokens = new SessionTokens(readSecretKeys(env.PI_SECRET_KEYS), service.url)
  const session = { id: intent.id, environmentId, origin: 'https://shop.example' }
  for (const [signer, verifier] of [
    [8000, 0],
    [0, 8000],
    [8000, -8000],
    [0, 49 * hour],
  ] as const) {
    const { token, expiresAt } = await tokens.sign(session, (await comparedClock(signer)).now())
    const found = await tokens.verify(token, (await comparedClock(verifier)).now())
    const verified = { ...session, expiresAt: new Date(expiresAt) }
    expect([signer, verifier, found]).toEqual([signer, verifier, verified])
  }
})

test('serves by the time of the database until its clock, 49 hours ahead, is set', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let skew = 49 * hour
  const ahead = await startTestService(env, { now: () => machine(skew)() })
  expect(ahead.logged.join()).toContain('differ by 176400 seconds')
  const response = await fetch(`${ahead.url}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    detail: 'The clocks of this machine and the database differ by 176400 seconds.',
  })
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  const merchant = { url: ahead.url, apiKey: service.apiKey }
  expect(secondsAhead(new Date((await created(merchant)).createdAt))).toBeCloseTo(0, -1)

  skew = 0
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  await expect.poll(async () => (await fetch(`${ahead.url}/readyz`)).status).toBe(200)
})
