// The examples that a framework builds: installed from the tarballs, built, started, and paid in as a merchant's buyer.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { payWith } from '@pi-checkout/element/testing'
import { freePort } from '@pi-checkout/test-support/free-port'
import { root, runProgram, startProgram } from '@pi-checkout/test-support/process'
import { startService, variablesOf } from '@pi-checkout/test-support/stack'
import type { Page } from '@playwright/test'
import { readDocument } from '../../scripts/docs/documents.mjs'
import { install } from '../../scripts/install.mjs'
import { nodeBinary, nodeVersions } from '../../scripts/node-versions.mjs'
import { pack } from '../../scripts/pack.mjs'
import { test as base, expect, workerFixture } from '../fixtures/base-test.ts'

/** A copy of an example in a separate folder. */
interface Example {
  readonly origin: string
  /** Installs it from the tarballs, and builds it. `files` replace those of the example. */
  build(files?: Iterable<readonly [name: string, code: string]>): Promise<void>
  /**
   * Starts it until the end of the test, and waits until it responds.
   *
   * @throws {Error} With its output, if it exits before, or never does.
   */
  start(env?: NodeJS.ProcessEnv): Promise<void>
}

// Some of the frameworks need Node.js 22.
const node22 = nodeVersions.find((version) => version.startsWith('22.')) ?? ''
const isOld = process.versions.node < node22

/** The packages as they would be published, in a folder outside of the repository. */
interface Packed {
  readonly folder: string
  /** The path of each tarball, by the package's folder. */
  readonly tarballs: ReadonlyMap<string, string>
}

const test = base.extend<
  { framework: string; example: Example },
  { packed: Packed & { stop(): Promise<void> } }
>({
  packed: workerFixture(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pi-packed-'))
    const stop = async (): Promise<void> => rmSync(folder, { recursive: true, force: true })
    return { folder, tarballs: pack(join(folder, 'vendor')) as Map<string, string>, stop }
  }),
  framework: ['', { option: true }],
  example: async ({ framework, packed }, use) => {
    const cwd = join(packed.folder, framework)
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const service = await startService(['--memory', '--shop-origin', origin])
    const running = [service.stop]
    // Without those of the test runner.
    const variables: NodeJS.ProcessEnv = {
      NODE_ENV: undefined,
      NEXT_TELEMETRY_DISABLED: '1',
      NUXT_TELEMETRY_DISABLED: '1',
      ASTRO_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      ...variablesOf(service.ready),
      ...(isOld && { PATH: [dirname(nodeBinary(node22)), process.env.PATH].join(delimiter) }),
    }
    const npm = async (args: readonly string[], own: NodeJS.ProcessEnv = {}): Promise<void> => {
      const env = { ...variables, ...own }
      const options = { command: 'npm', cwd, env, detached: true, timeout: 180_000 }
      const { code, output, errors } = await runProgram(args, options)
      if (code !== 0) throw new Error(`npm ${args.join(' ')}:\n${output}${errors}`)
    }
    await use({
      origin,
      build: async (files = []) => {
        cpSync(join(root, 'demo/examples', framework), cwd, { recursive: true })
        for (const [name, code] of files) writeFileSync(join(cwd, name), code)
        const tarballs = ['server', 'element'].map((name) => packed.tarballs.get(name) ?? '')
        await install(cwd, tarballs)
        // At run time the service is somewhere else.
        const built = { PI_API_KEY: undefined, PI_CHECKOUT_ORIGIN: 'https://built.example' }
        await npm(['run', 'build'], built)
      },
      start: async (own = {}) => {
        const env = { ...variables, ...own }
        const options = { command: 'npm', cwd, env, detached: true }
        const { child, log, stop } = await startProgram(['start'], options)
        // Next.js would wait for each connection of the browser, also one without a request.
        running.push(() => stop('SIGKILL'))
        for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
          const signal = AbortSignal.timeout(10_000)
          const response = await fetch(origin, { signal }).catch(() => undefined)
          if (response?.ok) return
          await setTimeout(100)
        }
        throw new Error(`npm start does not respond:\n${log.join('\n')}`)
      },
    })
    for (const stop of running.reverse()) await stop()
  },
})
// One after the other: the packages are packed once, and builds don't compete.
test.describe.configure({ mode: 'default' })
test.setTimeout(480_000)
// Each step has its own end, so that the report says which one waits.
test.use({ actionTimeout: 30_000, navigationTimeout: 30_000 })

for (const framework of ['next', 'sveltekit', 'nuxt', 'astro']) {
  test.describe(() => {
    test.use({ framework })

    test(`the ${framework} example needs a key, and takes a payment after a canceled one`, async ({
      page,
      example,
      pageErrors,
    }) => {
      // The examples have no icon.
      pageErrors.allow(/\/favicon\.ico|status of 409/)
      await example.build()
      await expect(example.start({ PI_API_KEY: undefined })).rejects.toThrow(
        'PI_API_KEY: environment variable is not set',
      )
      await example.start()
      await paysAfterCancel(page, example.origin)
    })
  })
}

test.describe(() => {
  test.use({ framework: 'next' })

  test('the files of the guide for next.js take a payment with a nonce and without a referrer', async ({
    page,
    example,
    pageErrors,
  }) => {
    pageErrors.allow(/\/favicon\.ico/)
    const { blocks } = readDocument('packages/element/guides/frameworks.md')
    const files = blocks.filter(({ name }) => name !== undefined)
    await example.build([
      ...files.map(({ name = '', code }) => [name, code] as const),
      ['next.config.js', nextConfig],
    ])
    await example.start()
    const headers = (await page.goto(example.origin))?.headers() ?? {}
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['content-security-policy']).toMatch(/'nonce-/)
    await payWith(page, 'succeeded')
    await expect(page.locator('pi-checkout:state(paid)')).toHaveCount(1)
  })
})

const nextConfig = `export default {
  trailingSlash: true,
  headers: async () => [
    { source: '/:path*', headers: [{ key: 'Referrer-Policy', value: 'no-referrer' }] },
  ],
}`

async function paysAfterCancel(page: Page, shop: string): Promise<void> {
  const handoffs: { readonly id: string; readonly clientSecret: string }[] = []
  page.on('response', async (response) => {
    if (response.url() === `${shop}/checkout/handoff`) handoffs.push(await response.json())
  })
  await page.goto(shop)
  await payWith(page, 'canceled')
  await expect(page.getByText('Payment canceled')).toBeVisible()
  await page.getByText('Try again').click()
  await payWith(page, 'succeeded')
  await expect(page.locator('pi-checkout:state(paid)')).toHaveCount(1)
  // One request, and another intent, for each attempt.
  expect(new Set(handoffs.map(({ id }) => id)).size).toBe(2)
  expect(handoffs).toHaveLength(2)
  const html = (await page.content()) + (await (await fetch(shop)).text())
  expect(handoffs.filter(({ clientSecret }) => html.includes(clientSecret))).toEqual([])
  await page.reload()
  await expect(page.locator('pi-checkout:state(paid)')).toHaveCount(1)
  await expect(page.locator('iframe')).toHaveCount(0)
}
