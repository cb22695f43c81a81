import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'
import { newSecretKey } from '../../src/secret-keys.ts'
import { checkStart } from '../../src/start/check-start.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { sql } from '../../src/store/sql.ts'
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
  const passed = [
    'The settings are valid.',
    'Free ports are found at the start.',
    `The first start creates the store in ${data}.`,
  ]
  expect([code, JSON.parse(output)]).toEqual([0, { v: 1, ok: true, passed, problems: [] }])
  expect(existsSync(data)).toBe(false)
  expect((await check(['--port', '0'], env)).output).toMatch(
    /The store opens, and the first start creates its tables\.\n\nThe service can start\.\n$/,
  )
  const db = await openPostgres(url)
  atEnd(() => db.close())
  expect(await db.query(sql`select to_regclass('intents') as name`)).toEqual([{ name: null }])
})

test('names every problem of the settings and the store, without a password', async () => {
  const settings = {
    PI_DATABASE_URL: 'postgres://user:hush@127.0.0.1:1/nothing',
    PI_SECRET_KEY: newSecretKey(),
  }
  const { code, output, errors } = await check(['--port', '0'], settings)
  expect(output).toMatch(
    /FAIL {2}The database cannot be reached \(ECONNREFUSED\)\. Check that .*\n\nThe service cannot start: 1 problem\.\n$/,
  )
  expect([code, errors]).toEqual([1, ''])
  expect(output).not.toContain('hush')
  const { problems } = await checkStart({ port: '0' }, { ...settings, PI_SECRET_KEY: undefined })
  expect(problems).toEqual([
    expect.stringMatching(/^PI_SECRET_KEY: environment variable is not set\. .*Generate one: /),
  ])
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
  const running = await checkStart({ data, port: '0' }, {})
  expect(running.problems).toEqual([expect.stringMatching(/ is in use by another service\. Stop/)])
  await service.stop()
  const other = await checkStart({ data, port: '0' }, { PI_SECRET_KEY: newSecretKey() })
  expect(other.problems).toEqual([
    expect.stringMatching(/^PI_SECRET_KEY: differs from the key .*Restore the original key/),
  ])
  expect(await checkStart({ data, port: '0' }, {})).toMatchObject({ ok: true, problems: [] })
})

test('rejects the port of another program, and that of a running service', async () => {
  const { url: used } = await startTestService({})
  const other = await serve((_, response) => response.end('{"status":"ok"}'))
  for (const address of [used, other]) {
    const { port } = new URL(address)
    const { ok, problems } = await checkStart({ port, memory: true }, {})
    const problem = `Port ${port} on 127.0.0.1 is already in use. Stop`
    expect([ok, problems]).toEqual([false, [expect.stringContaining(problem)]])
  }
  const taken = await check(['--port', new URL(used).port, '--memory'])
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
