// The examples that a framework builds: installed from the tarballs, built, started, and paid in as a merchant's buyer.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import { freePort } from '@pi-checkout/test-support/free-port'
import { runProgram, startProgram } from '@pi-checkout/test-support/process'
import { startService } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { root } from './files.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'
import { pack } from './pack.mjs'

const shops = ['next', 'sveltekit', 'nuxt', 'astro']
const folder = mkdtempSync(join(tmpdir(), 'pi-frameworks-'))
// Some of the frameworks need Node.js 22.
const [, node22] = nodeVersions
const isOld = process.versions.node < node22

/** The examples have no icon. In development Lit says so. */
const expected = /\/favicon\.ico |Lit is in dev mode/

/** Variables of a shop without those of the test runner. */
const variables = {
  NODE_ENV: undefined,
  VITEST: undefined,
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
}
let port
let shop
let tarballs
let service
let browser

beforeAll(async () => {
  if (isOld) variables.PATH = [dirname(nodeBinary(node22)), process.env.PATH].join(delimiter)
  const packed = pack(folder)
  tarballs = [packed.get('server'), packed.get('element')]
  port = await freePort()
  shop = `http://localhost:${port}`
  service = await startService(['--memory', '--shop-origin', shop])
  const { apiKey, baseUrl, checkoutOrigin } = service.ready
  Object.assign(variables, {
    PORT: String(port),
    PI_API_KEY: apiKey,
    PI_BASE_URL: baseUrl,
    PI_CHECKOUT_ORIGIN: checkoutOrigin,
  })
  browser = await launchBrowser()
}, 300_000)

afterAll(async () => {
  await browser?.close()
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

test.concurrent.each(shops)(
  '%s: installs from the tarballs, and builds',
  {
    timeout: 600_000,
  },
  async (name) => {
    cpSync(join(root, 'demo/examples', name), join(folder, name), { recursive: true })
    const options = ['--no-audit', '--no-fund', '--prefer-offline']
    await npm(name, ['install', ...options, `--cache=${join(root, '.cache/npm')}`, ...tarballs])
    // At run time the service is somewhere else.
    const built = { PI_API_KEY: undefined, PI_CHECKOUT_ORIGIN: 'https://built.example' }
    await npm(name, ['run', 'build'], built)
  },
)

for (const name of shops) {
  test(`${name}: does not start without a key`, { timeout: 120_000 }, async () => {
    await expect(start(name, { env: { PI_API_KEY: undefined } })).rejects.toThrow(
      'PI_API_KEY: environment variable is not set',
    )
  })

  test(`${name}: takes a payment after a canceled one`, { timeout: 120_000 }, async () => {
    await start(name)
    await paysAfterCancel()
  })
}

test('next: takes a payment in development, next to its badge', { timeout: 180_000 }, async () => {
  await start('next', { script: 'dev' })
  await paysAfterCancel('nextjs-portal')
})

/** @throws {Error} With its output, if npm fails. */
async function npm(name, args, own = {}) {
  const env = { ...variables, ...own }
  const options = { command: 'npm', cwd: join(folder, name), env }
  const { code, output, errors } = await runProgram(args, options)
  if (code !== 0) throw new Error(`npm ${args.join(' ')}:\n${output}${errors}`)
}

/**
 * Starts a built shop, waits until it responds, and stops it after the test.
 *
 * @throws {Error} With its output, if it exits before.
 */
async function start(name, { script = 'start', env = {} } = {}) {
  const { child, log, stop } = await startProgram(['run', script], {
    ...{ command: 'npm', cwd: join(folder, name), env: { ...variables, ...env } },
    detached: true,
  })
  onTestFinished(() => child.exitCode ?? stop())
  while (child.exitCode === null) {
    const response = await fetch(shop).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(100)
  }
  throw new Error(log.join('\n'))
}

async function paysAfterCancel(badge = 'body') {
  const { payWith } = await import(
    join(folder, 'next/node_modules/@pi-checkout/element/dist/testing/index.js')
  )
  const page = await browser.newPage({ locale: 'en' })
  onTestFinished(() => page.close())
  const messages = []
  page.on('pageerror', ({ message }) => messages.push(message))
  page.on('console', (line) => {
    const text = `${line.location().url} ${line.text()}`
    if (/^(?:error|warning)$/.test(line.type()) && !expected.test(text)) messages.push(text)
  })
  const handoffs = []
  page.on('response', async (response) => {
    if (response.url() === `${shop}/checkout/handoff`) handoffs.push(await response.json())
  })
  await page.goto(shop)
  await payWith(page, 'canceled')
  await page.locator('output').getByText('failed').waitFor()
  await page.getByText('Try again').click()
  await payWith(page, 'succeeded')
  await page.locator('output').getByText('paid').waitFor()
  await page.locator(badge).waitFor({ state: 'attached' })
  // One request, and another intent, for each attempt.
  expect(handoffs.map(({ id }) => typeof id)).toEqual(['string', 'string'])
  expect(handoffs[0].id).not.toBe(handoffs[1].id)
  const html = (await page.content()) + (await (await fetch(shop)).text())
  expect(handoffs.filter(({ clientSecret }) => html.includes(clientSecret))).toEqual([])
  await page.reload()
  await page.getByText('Paid', { exact: true }).waitFor()
  expect(await page.locator('pi-checkout').count()).toBe(0)
  expect(messages).toEqual([])
}
