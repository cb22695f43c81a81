import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClock } from '../src/clock.ts'
import { startPostgres } from './support/lifetime.ts'
import { created, startTestService } from './support/service.ts'

const hour = 3600_000
const { env } = await startPostgres()
const service = await startTestService(env)

function machine(ahead: number): () => Date {
  return () => new Date(Date.now() + ahead)
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
