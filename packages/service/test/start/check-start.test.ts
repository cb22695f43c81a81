import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test, vi } from 'vitest'
import * as clock from '../../src/clock.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { checkStart } from '../../src/start/check-start.ts'
import { atEnd, startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { created, startTestService } from '../support/service.ts'

const { env, url } = await startPostgres()
const folder = temporaryFolder()

/** Runs `pi-service start --check`. */
async function check(flags: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  return await runProgram([piService, 'start', '--check', ...flags], { env: settings })
}

test('finds nothing wrong before the first start, and creates nothing', async () => {
  const data = join(folder, 'unused')
  const { code, output } = await check(['--data', data, '--json'])
  expect([code, JSON.parse(output)]).toEqual([0, { v: 1, ok: true, problems: [], warnings: [] }])
  expect(existsSync(data)).toBe(false)
  expect((await check([], { ...env, PI_DATABASE_URL: url })).output).toContain(
    'OK    The service can start.',
  )
  const db = await openPostgres(url)
  atEnd(() => db.close())
  expect(await db.query`select to_regclass('migrations') as name`).toEqual([{ name: null }])
})

test('names every problem of the settings and the store, without a password', async () => {
  const settings = { PI_DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/nothing' }
  const { code, output, errors } = await check([], settings)
  expect(output).toMatch(
    /^FAIL {2}PI_SECRET_KEYS: environment variable is not set\. .*Generate one: .*\nFAIL {2}The database cannot be reached \(ECONNREFUSED\)\. Check that/,
  )
  expect([code, errors]).toEqual([1, ''])
  expect(output).not.toContain('hush')
  const invalid = await checkStart({ port: 'http' }, { PI_LOG_LEVEL: 'loud' })
  expect(invalid.problems).toEqual([
    expect.stringMatching(/^--port: must be an integer/),
    expect.stringMatching(/^PI_LOG_LEVEL: must be one of/),
  ])
})

test('fails where a start would fail, and leaves the store as it is', async () => {
  const data = join(folder, 'data')
  const service = await startTestService({ PI_DATA_DIR: data })
  await created(service)
  const running = await checkStart({ data }, {})
  expect(running.problems).toEqual([expect.stringMatching(/ is in use by process \d+ on .*Stop/)])
  await service.stop()
  const other = await checkStart({ data }, { PI_SECRET_KEYS: newSecretKeys().replace('k1', 'k9') })
  expect(other.problems).toEqual([
    expect.stringMatching(/^PI_SECRET_KEYS: key k1 is missing, but rows .*Add it after the first/),
  ])
  expect(await checkStart({ data }, {})).toEqual({ ok: true, problems: [], warnings: [] })
})

test('warns about what a start accepts, such as a schema that it will change', async () => {
  const { stop } = await startTestService(env)
  await stop()
  const db = await openPostgres(url)
  atEnd(() => db.close())
  const [newest] = await db.query<{ version: number }>`
    delete from migrations where version = (select max(version) from migrations) returning version`
  const now = vi.spyOn(clock, 'realNow')
  atEnd(() => now.mockRestore())
  now.mockReturnValue(new Date(Date.now() + 5000))
  const { ok, warnings } = await checkStart(
    {},
    { ...env, PI_PUBLIC_URL: 'https://pay.example.com' },
  )
  expect(ok).toBe(true)
  expect(warnings).toEqual([
    expect.stringMatching(/^PI_TRUSTED_PROXIES: is not set .*Set the addresses/),
    expect.stringMatching(/^A power cut may lose acknowledged intents\. Set fsync/),
    expect.stringMatching(/^The clocks of this machine and the database differ by .*Run a time/),
    expect.stringMatching(/^The start applies the schema changes .*Make a backup/),
  ])
  expect(warnings.at(-1)).toContain(String(newest?.version))
})
