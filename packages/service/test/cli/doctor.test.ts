import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { piService, runProgram } from '@pi-checkout/test-support/process'
import { runPiService } from '@pi-checkout/test-support/stack'
import { expect, test } from 'vitest'
import { administer } from '../../src/cli/admin-commands.ts'
import { type Diagnosis, examine } from '../../src/cli/doctor/doctor.ts'
import { examineNode } from '../../src/cli/doctor/machine-checks.ts'
import { readConfig } from '../../src/config.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { openStore } from '../../src/start/open-store.ts'
import { serve, temporaryFolder } from '../support/lifetime.ts'
import { created, startTestService } from '../support/service.ts'

const folder = temporaryFolder()
const data = join(folder, 'data')
const first = await startTestService({ PI_DATA_DIR: data })
await created(first)
await first.stop()

async function diagnose(flags: object = {}, env: NodeJS.ProcessEnv = {}): Promise<Diagnosis> {
  return await examine(readConfig({ port: '0', data, ...flags }, env))
}

function findingOf({ findings }: Diagnosis, what: string): unknown {
  return findings.find(({ about }) => about === what)
}

test('finds nothing wrong before the first start, and creates nothing', async () => {
  const unused = join(folder, 'unused')
  const args = ['doctor', '--data', unused, '--port', '0', '--json']
  const { ok, findings } = JSON.parse(await runPiService(args)) as Diagnosis
  expect(ok).toBe(true)
  expect(new Set(findings.map(({ level }) => level))).toEqual(new Set(['ok']))
  expect(existsSync(unused)).toBe(false)
})

const adviceForLive = {
  about: "Ani's Shop (live)",
  level: 'warn',
  found: expect.stringContaining('but no registered origin, so no page can show its checkout'),
  advice: `Run pi-service origins add ORIGIN --merchant 'Ani'\\''s Shop' --environment live --data '${data}'.`,
}

test('names an environment without an origin, with a command for any folder', async () => {
  const store = await openStore(readConfig({ data }, {}))
  const live = { merchant: "Ani's Shop", environment: 'live' } as const
  await administer({ ...store, now: () => new Date() }, { command: 'keys create', ...live })
  await store.close()
  const diagnosis = await diagnose({ data: relative(process.cwd(), data) })
  expect(findingOf(diagnosis, adviceForLive.about)).toEqual(adviceForLive)
})

test('checks store and ports of a running service through the service', async () => {
  const service = await startTestService({ PI_DATA_DIR: data })
  const { findings } = await diagnose({ port: new URL(service.url).port })
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'ok', found: 'In use by a running pi-service.' }),
      { about: 'store', level: 'ok', found: 'Writable, and each commit is synced to disk.' },
      { about: 'schema', level: 'ok', found: 'Up to date.' },
      { about: 'secret keys', level: 'ok', found: 'k1: complete for the stored rows.' },
      {
        about: 'Tsiran (test)',
        level: 'ok',
        found: '1 valid key; registered origins: http://localhost:3000.',
      },
      adviceForLive,
    ]),
  )
})

test('fails for a missing secret key that stored rows need, with the fix', async () => {
  const diagnosis = await diagnose({}, { PI_SECRET_KEYS: newSecretKeys().replace('k1', 'k9') })
  expect(diagnosis.ok).toBe(false)
  expect(findingOf(diagnosis, 'secret keys')).toEqual({
    about: 'secret keys',
    level: 'fail',
    found: expect.stringMatching(
      /^key k1 is missing, but rows of this store need it: open intents or intents younger than 48 hours, Tsiran \(test\) pi_sk_test_…\w{4} key_\w+/,
    ),
    advice: expect.stringMatching(
      /^Correct PI_SECRET_KEYS. Add it after the first key. .* \(pi-service keys revoke key_\w+\)\.$/,
    ),
  })
  expect((await diagnose()).ok).toBe(true)
})

test('fails for a port in use', async () => {
  const { port } = new URL(await serve(() => {}))
  expect(findingOf(await diagnose({ port }), `port ${port}`)).toMatchObject({
    level: 'fail',
    found: 'In use by another program.',
  })
})

test('fails for an unreachable database, without its password', async () => {
  const url = 'postgres://user:hush@127.0.0.1:1/nothing'
  const args = [piService, 'doctor', '--database-url', url, '--port', '0']
  const { code, output } = await runProgram(args)
  expect(code).toBe(1)
  expect(output).toContain('FAIL  store: The database cannot be reached (ECONNREFUSED).')
  expect(output).not.toContain('hush')
})

test('warns if a public service cannot tell its clients apart', async () => {
  const behind = { PI_PUBLIC_URL: 'https://pay.example.com' }
  const about = 'client addresses'
  expect(findingOf(await diagnose({}, behind), about)).toEqual({
    about,
    level: 'warn',
    found:
      'PI_PUBLIC_URL is set but PI_TRUSTED_PROXIES is not, so no limit counts by client address.',
    advice: 'Set PI_TRUSTED_PROXIES to the addresses of your proxies, such as 127.0.0.1.',
  })
  const trusting = { ...behind, PI_TRUSTED_PROXIES: '10.0.0.0/8' }
  expect(findingOf(await diagnose({}, trusting), about)).toMatchObject({ level: 'ok' })
  expect(findingOf(await diagnose(), about)).toBeUndefined()
})

test.each([
  ['fail', '18.20.4'],
  ['fail', '20.18.9'],
  ['ok', '20.19.0'],
  ['ok', '22.0.0'],
  ['ok', '24.1.0'],
] as const)('reports %s for Node.js %s', (level, version) => {
  expect(examineNode(version).level).toBe(level)
})
