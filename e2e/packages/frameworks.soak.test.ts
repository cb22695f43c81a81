// The examples that a framework builds: installed from the tarballs, built, started, and paid in as a merchant's buyer.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { payWith } from '@pi-checkout/element/testing'
import { freePort } from '@pi-checkout/test-support/free-port'
import { root, runProgram, startProgram } from '@pi-checkout/test-support/process'
import { startService, variablesOf } from '@pi-checkout/test-support/stack'
import { readDocument } from '../../scripts/docs/documents.mjs'
import { install } from '../../scripts/install.mjs'
import { nodeBinary, nodeVersions } from '../../scripts/node-versions.mjs'
import { pack } from '../../scripts/pack.mjs'
import { expect, test } from '../fixtures/base-test.ts'
import { payAfterFailures } from '../fixtures/buyer.ts'

// Some of the frameworks need Node.js 22.
const node22 = nodeVersions.find((version) => version.startsWith('22.')) ?? ''
const isOld = process.versions.node < node22

/** Without the variables of the test runner. */
const variables: NodeJS.ProcessEnv = {
  NODE_ENV: undefined,
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  ...(isOld && { PATH: [dirname(nodeBinary(node22)), process.env.PATH].join(delimiter) }),
}

/** Outside of the repository. */
let folder = ''
/** The packages as they would be published. */
let tarballs: readonly string[] = []
/** Ends what a test has started. */
const running: (() => unknown)[] = []

// One after the other: the packages are packed once, and builds don't compete.
test.describe.configure({ mode: 'default' })
test.setTimeout(480_000)
// Each step has its own end, so that the report says which one waits.
test.use({ actionTimeout: 30_000, navigationTimeout: 30_000 })

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-packed-'))
  const packed = pack(join(folder, 'vendor'))
  tarballs = ['server', 'element'].map((name) => packed.get(name) ?? '')
})

test.afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop()
})

test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

for (const framework of ['next', 'sveltekit', 'nuxt', 'astro']) {
  test(`the ${framework} example needs a key, and takes a payment after a canceled one`, async ({
    page,
    pageErrors,
  }) => {
    // The examples have no icon.
    pageErrors.allow(/\/favicon\.ico|status of 409/)
    const example = await build(framework)
    await expect(start(example, { PI_API_KEY: undefined })).rejects.toThrow(
      'PI_API_KEY: environment variable is not set',
    )
    await payAfterFailures(page, await start(example))
  })
}

test('the files of the guide for next.js take a payment with a nonce and without a referrer', async ({
  page,
  pageErrors,
}) => {
  pageErrors.allow(/\/favicon\.ico/)
  const { blocks } = readDocument('packages/element/guides/frameworks.md')
  const files = blocks.filter(({ name }) => name !== undefined)
  const example = await build('next', [
    ...files.map(({ name = '', code }) => [name, code] as const),
    ['next.config.js', nextConfig],
  ])
  const headers = (await page.goto(await start(example)))?.headers() ?? {}
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['content-security-policy']).toMatch(/'nonce-/)
  await payWith(page, 'succeeded')
  await expect(page.locator('pi-checkout:state(paid)')).toHaveCount(1)
})

const nextConfig = `export default {
  trailingSlash: true,
  headers: async () => [
    { source: '/:path*', headers: [{ key: 'Referrer-Policy', value: 'no-referrer' }] },
  ],
}`

/** Copies an example, installs it from the tarballs, and builds it. `files` replace its own. Returns its folder. */
async function build(
  framework: string,
  files: readonly (readonly [name: string, code: string])[] = [],
): Promise<string> {
  const cwd = join(folder, framework)
  cpSync(join(root, 'demo/examples', framework), cwd, { recursive: true })
  for (const [name, code] of files) writeFileSync(join(cwd, name), code)
  await install(cwd, tarballs)
  // At run time the service is somewhere else.
  const env = { ...variables, PI_API_KEY: undefined, PI_CHECKOUT_ORIGIN: 'https://built.example' }
  const options = { command: 'npm', cwd, env, detached: true, timeout: 180_000 }
  const { code, output, errors } = await runProgram(['run', 'build'], options)
  if (code !== 0) throw new Error(`npm run build:\n${output}${errors}`)
  return cwd
}

/**
 * Starts an example with a service until the end of the test, and waits until it responds. Returns its origin.
 *
 * @throws {Error} With its output, if it exits before, or never does.
 */
async function start(cwd: string, own: NodeJS.ProcessEnv = {}): Promise<string> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const service = await startService(['--memory', '--shop-origin', origin])
  running.push(service.stop)
  const env = { ...variables, ...variablesOf(service.ready), PORT: String(port), ...own }
  const options = { command: 'npm', cwd, env, detached: true }
  const { child, log, stop } = await startProgram(['start'], options)
  // Next.js would wait for each connection of the browser, also one without a request.
  running.push(() => stop('SIGKILL'))
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(origin, { signal }).catch(() => undefined)
    if (response?.ok) return origin
    await setTimeout(100)
  }
  throw new Error(`npm start does not respond:\n${log.join('\n')}`)
}
