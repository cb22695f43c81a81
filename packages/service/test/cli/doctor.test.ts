import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administer } from '../../src/cli/admin-commands.ts'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { type Diagnosis, examine } from '../../src/cli/doctor/doctor.ts'
import { examineNode } from '../../src/cli/doctor/machine-checks.ts'
import { readConfig } from '../../src/config.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { openStore } from '../../src/start/open-store.ts'
import { command } from '../support/process.ts'
import { create, startTestService } from '../support/service.ts'

let folder: string
let data: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pi-doctor-'))
  data = join(folder, 'data')
  const service = await startTestService({ PI_DATA_DIR: data })
  await create(service)
  await service.stop()
})
afterAll(async () => await rm(folder, { recursive: true }))

async function diagnose(flags: object = {}, env: NodeJS.ProcessEnv = {}): Promise<Diagnosis> {
  return await examine(readConfig({ port: '0', data, ...flags }, env))
}

function about({ findings }: Diagnosis, what: string): unknown {
  return findings.find((finding) => finding.about === what)
}

test('before the first start all is well, and nothing is made', async () => {
  const unused = join(folder, 'unused')
  const { status, out } = await command(['doctor', '--data', unused, '--port', '0', '--json'])
  expect(status).toBe(0)
  const diagnosis = JSON.parse(out) as Diagnosis
  expect(diagnosis.ok).toBe(true)
  expect(new Set(diagnosis.findings.map(({ level }) => level))).toEqual(new Set(['ok']))
  expect(existsSync(unused)).toBe(false)
})

const newLiveKey = {
  command: 'keys create',
  merchant: "Ani's Shop",
  environment: 'live',
} as const

test('checks the store of a running service, and accepts its ports', async () => {
  const service = await startTestService({ PI_DATA_DIR: data })
  await sendAdminCommand(data, newLiveKey)
  const diagnosis = await diagnose({ port: new URL(service.url).port })
  expect(diagnosis.findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'ok', found: 'In use by a running pi-service.' }),
      { about: 'store', level: 'ok', found: 'Writable, and each commit is synced to disk.' },
      { about: 'schema', level: 'ok', found: 'Up to date.' },
      { about: 'secret keys', level: 'ok', found: 'k1: complete for the stored rows.' },
      {
        about: 'Demo Shop (test)',
        level: 'ok',
        found: '1 valid key; registered origins: http://localhost:3000.',
      },
      adviceForLive(),
    ]),
  )
  await service.stop()
})

test('fails for a missing key that intents need, with the fix', async () => {
  const diagnosis = await diagnose({}, { PI_SECRET_KEYS: newSecretKeys().replace('k1', 'k9') })
  expect(diagnosis.ok).toBe(false)
  expect(about(diagnosis, 'secret keys')).toEqual({
    about: 'secret keys',
    level: 'fail',
    found: expect.stringMatching(
      /^key k1 is missing, but rows of this store need it: open intents or intents younger than 48 hours, Demo Shop \(test\) pi_sk_test_…\w{4} key_\w+/,
    ),
    advice: expect.stringMatching(
      /^Correct PI_SECRET_KEYS. Add it after the first key. .* \(pi-service keys revoke key_\w+\)\.$/,
    ),
  })
  expect((await diagnose()).ok).toBe(true)
})

const adviceForLive = () => ({
  about: "Ani's Shop (live)",
  level: 'warn',
  found: expect.stringContaining('but no registered origin, so no page can show its checkout'),
  advice: `Run pi-service origins add ORIGIN --merchant 'Ani'\\''s Shop' --environment live --data '${data}'.`,
})

test('warns about an environment without origins, with a command for any folder', async () => {
  const store = await openStore(readConfig({ data }, {}))
  await administer({ ...store, now: () => new Date() }, newLiveKey)
  await store.close()
  const diagnosis = await diagnose({ data: relative(process.cwd(), data) })
  expect(about(diagnosis, "Ani's Shop (live)")).toEqual(adviceForLive())
})

test('fails for a port in use and for an unreachable database', async () => {
  const program = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => program.once('listening', resolve))
  const { port } = program.address() as { port: number }
  expect(about(await diagnose({ port: String(port) }), `port ${port}`)).toMatchObject({
    level: 'fail',
    found: 'In use by another program.',
  })
  program.close()

  const url = 'postgres://user:hush@127.0.0.1:1/nothing'
  const away = await command(['doctor', '--database-url', url, '--port', '0'])
  expect(away.status).toBe(1)
  expect(away.out).toContain('FAIL  store: The database cannot be reached (ECONNREFUSED).')
  expect(away.out).not.toContain('hush')
})

test('warns if a public service cannot tell its clients apart', async () => {
  const behind = { PI_PUBLIC_URL: 'https://pay.example.com' }
  const what = 'client addresses'
  expect(about(await diagnose({}, behind), what)).toEqual({
    about: what,
    level: 'warn',
    found:
      'PI_PUBLIC_URL is set but PI_TRUSTED_PROXIES is not, so no limit counts by client address.',
    advice: 'Set PI_TRUSTED_PROXIES to the addresses of your proxies, such as 127.0.0.1.',
  })
  const trusting = { ...behind, PI_TRUSTED_PROXIES: '10.0.0.0/8' }
  expect(about(await diagnose({}, trusting), what)).toMatchObject({ level: 'ok' })
  expect(about(await diagnose(), what)).toBeUndefined()
})

test('rejects a Node.js that is too old', () => {
  for (const version of ['18.20.4', '20.18.9']) expect(examineNode(version).level).toBe('fail')
  for (const version of ['20.19.0', '22.0.0', '24.1.0'])
    expect(examineNode(version).level).toBe('ok')
})
