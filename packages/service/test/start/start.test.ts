import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { piService, startProgram } from '@pi-checkout/test-support/process'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { atEnd, serve, startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { startTestService, type TestService } from '../support/service.ts'

test('leaves the directory to the next start if its port is in use', async () => {
  const directory = temporaryFolder()
  const { port } = new URL(await serve(() => {}))
  const start = startTestService({ PI_DATA_DIR: directory }, { flags: { port } })
  await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
  await (await startTestService({ PI_DATA_DIR: directory })).stop()
})

test('keeps the environment and its key over a restart, until the key is revoked', async () => {
  const start = async (env: NodeJS.ProcessEnv) => {
    const service = await startTestService(env)
    await service.stop()
    return service
  }
  const env = { PI_DATA_DIR: temporaryFolder() }
  const first = await start(env)
  expect((await start(env)).apiKey).toBe(first.apiKey)
  const { keys } = await first.administer(({ listKeys }, db) => listKeys(db))
  await first.administer(({ revokeKey }, db) => revokeKey(db, keys[0]?.id ?? ''))
  const after = await start(env)
  expect(after.apiKey).not.toBe(first.apiKey)
  expect([after.environmentId, first.environmentId.length]).toEqual([first.environmentId, 20])
  expect((await start({})).environmentId).not.toBe(first.environmentId)
})

test('stops within ten seconds regardless of its clients, without cutting waiting buyers off', async () => {
  const service = await startTestService()
  const pages = await Promise.all(Array.from({ length: 30 }, () => service.openPage()))
  const { host, port } = new URL(service.url)
  // A client whose body never arrives. The service says that it waits for it.
  const slow = await openSocket(port)
  const ends = once(slow, 'close')
  const head = ['POST /payment-intents HTTP/1.1', `Host: ${host}`, 'Expect: 100-continue']
  const authorization = `Authorization: Bearer ${service.apiKey}`
  const body = ['Content-Type: application/json', 'Content-Length: 50', '', '']
  slow.write([...head, authorization, ...body].join('\r\n'))
  await once(slow, 'data')

  let received = 0
  const count = (): void => void received++
  subscribe('http.server.request.start', count)
  atEnd(() => unsubscribe('http.server.request.start', count))
  // As a hosted page does: the next request follows each response, on the same connection.
  const polls = pages.map(async (page) => {
    for (let responses = 0; ; responses++) {
      const response = await page.get('?waitForVersion=2').catch(({ cause }) => String(cause.code))
      if (typeof response === 'string') return `${Math.min(responses, 1)} ${response}`
      expect(await response.json()).toMatchObject({ version: 1 })
    }
  })
  await expect.poll(() => received).toBe(30)
  const begin = performance.now()
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(new Set(await Promise.all(polls))).toEqual(new Set(['1 ECONNREFUSED']))
  await ends
})

test('serves requests during the drain and reports that it is not ready', async () => {
  const service = await startTestService({ PI_DRAIN_MS: '1000' })
  /** Returns the HTTP status, and whether the connection stays open. */
  const created = async (): Promise<string> => {
    const response = await service.create()
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('connection')}`
  }
  for (let count = 0; count < 20; count++) expect(await created()).toBe('201 keep-alive')
  const stoppedAt = performance.now()
  // A request is running at the stop.
  const last = created()
  const stopped = service.stop()
  expect(await last).toMatch(/^201/)
  for (let count = 0; count < 5; count++) expect(await created()).toBe('201 close')
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])
  await stopped
  const seconds = (performance.now() - stoppedAt) / 1000
  expect(seconds).toBeGreaterThan(1)
  expect(seconds).toBeLessThan(12)
})

const { env } = await startPostgres()

test('creates no merchant in PostgreSQL and shows no key, except with --demo', async () => {
  const [local, shop] = ['http://localhost:3000', 'https://shop.example']
  const flags = { shopOrigin: [shop], demo: false }
  const rule =
    '--shop-origin: there is no merchant with a test environment. Run pi-service keys create --merchant NAME --environment test first, or start with --demo.'
  await expect(startTestService(env, { flags })).rejects.toThrow(rule)
  const plain = await startTestService(env, { flags: { demo: false } })
  expect(plain.ready.apiKey).toBeNull()
  expect(await environments(plain)).toEqual([])
  await plain.stop()

  const demo = await startTestService(env, { flags: { demo: true } })
  expect(demo.ready.apiKey).toMatch(/^pi_sk_test_/)
  expect(await environments(demo)).toMatchObject([{ merchant: 'Tsiran', origins: [local] }])
  await demo.stop()

  const later = await startTestService(env, { flags })
  expect(later.ready.apiKey).toBeNull()
  expect(await environments(later)).toMatchObject([{ merchant: 'Tsiran', origins: [local, shop] }])
})

test('prints a link to the inspector that works on this machine behind a proxy', async () => {
  const publicUrl = 'https://pay.example.com'
  const { ready } = await startTestService({ ...env, PI_PUBLIC_URL: publicUrl })
  expect(ready.checkoutOrigin).toBe(publicUrl)
  const page = await fetch(ready.inspectorUrl)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Inspector')])
  const open = await startTestService({ ...env, PI_PUBLIC_URL: publicUrl, PI_SANDBOX: 'network' })
  expect(open.ready.inspectorUrl).toContain(`${publicUrl}/_sandbox/#`)
})

async function environments(service: TestService) {
  const response = await service.control('GET', '/environments')
  return ((await response.json()) as { environments: unknown }).environments
}

test('prints no key and no token to a log, except with --demo', async () => {
  const printed = async (flags: readonly string[]) => {
    const command = [piService, 'start', '--port', '0', ...flags]
    const program = await startProgram(command, { env: { ...env, PI_DRAIN_MS: '0' } })
    await expect.poll(() => program.log.join('\n')).toContain('asks for a code')
    await program.stop()
    return program.log.join('\n')
  }
  const [plain, demo] = await Promise.all([printed([]), printed(['--memory', '--demo'])])
  expect(plain).toMatch(/ {2}inspector {4}http:\/\/127\.0\.0\.1:\d+\/_sandbox\/ \(its token/)
  expect(plain).not.toMatch(/#|pi_sk_/)
  expect(demo).toMatch(/_sandbox\/#[\w-]{43}\n/)
})
