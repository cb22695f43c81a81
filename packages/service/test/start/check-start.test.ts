import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test, vi } from 'vitest'
import * as clock from '../../src/clock.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { checkStart } from '../../src/start/check-start.ts'
import { atEnd, serve, startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { created, startTestService } from '../support/service.ts'

const { env, url } = await startPostgres()
const folder = temporaryFolder()

/** Runs `pi-service start --check`. */
async function check(flags: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  return await runProgram([piService, 'start', '--check', ...flags], { env: settings })
}

test('finds nothing wrong before the first start, and creates nothing', async () => {
  const data = join(folder, 'unused')
  const { code, output } = await check(['--data', data, '--json', '--port', '0'])
  const passed = ['The settings are valid.', `The first start creates the store in ${data}.`]
  const found = { v: 1, ok: true, passed, warnings: [], problems: [] }
  expect([code, JSON.parse(output)]).toEqual([0, found])
  expect(existsSync(data)).toBe(false)
  const settings = { ...env, PI_DATABASE_URL: url }
  expect((await check(['--port', '0'], settings)).output).toMatch(
    /\n\n(?:The service can start|No problem, \d warnings?)\.\n$/,
  )
  const db = await openPostgres(url)
  atEnd(() => db.close())
  expect(await db.query`select to_regclass('migrations') as name`).toEqual([{ name: null }])
})

test('names every problem of the settings and the store, without a password', async () => {
  const settings = { PI_DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/nothing' }
  const { code, output, errors } = await check(['--port', '0'], settings)
  expect(output).toMatch(
    /^OK {4}The settings are valid\.\nFAIL {2}PI_SECRET_KEYS: environment variable is not set\. .*Generate one: .*\nFAIL {2}The database cannot be reached \(ECONNREFUSED\)\. Check that .*\n\nThe service cannot start: 2 problems\.\n$/,
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
  expect(await checkStart({ data }, {})).toMatchObject({ ok: true, problems: [] })
})

/** @see Finding S8 */
test('rejects a port that a service or another program uses, as a start does', async () => {
  const { url: used, stop } = await startTestService({})
  const { ok, problems } = await checkStart({ port: new URL(used).port, memory: true }, {})
  expect([ok, problems]).toEqual([
    false,
    [expect.stringMatching(/^Port \d+ .* is already in use\./)],
  ])
  await stop()
  const other = await serve((_, response) => response.end('{"status":"ok"}'))
  const taken = await check(['--port', new URL(other).port, '--memory'])
  expect([taken.code, taken.output]).toEqual([
    1,
    expect.stringMatching(
      /FAIL {2}Port \d+ on 127.0.0.1 is already in use\. Stop .* or set --port /,
    ),
  ])
})

test('rejects a host that is not of this machine', async () => {
  const { problems } = await checkStart({ port: '0', memory: true }, { PI_HOST: '192.0.2.1' })
  expect(problems).toEqual([expect.stringMatching(/^PI_HOST: must be an address of this machine;/)])
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
    { port: '0' },
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
