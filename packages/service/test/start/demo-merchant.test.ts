import { piService, startProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'
import { startPostgres } from '../support/lifetime.ts'
import { startTestService, type TestService } from '../support/service.ts'

const { env } = await startPostgres()

test('creates no merchant in PostgreSQL and shows no key, except with --demo', async () => {
  const [local, shop] = ['http://localhost:3000', 'https://shop.example']
  const flags = { shopOrigin: [shop], demo: false }
  await expect(startTestService(env, { flags })).rejects.toThrow(
    '--shop-origin: there is no merchant with a test environment. Run pi-service keys create --merchant NAME --environment test first, or start with --demo.',
  )
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
