import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type { Browser } from '@playwright/test'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scenario, scenarios } from '../playground/scenarios.ts'

const files = new Map<string, string>()
let browser: Browser
let port: number

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
  const file = path === '/favicon.ico' ? '' : files.get(path.replace('/play/', '') || 'index.html')
  const type = { html: 'text/html', css: 'text/css', js: 'text/javascript' }[
    path.split('.')[1] ?? 'html'
  ]
  response.writeHead(file === undefined ? 404 : 200, {
    'content-type': type ?? 'text/html',
    'content-security-policy':
      `default-src 'none'; script-src 'self'; style-src 'self'; frame-src http://127.0.0.1:${port} http://127.0.0.1:9; ` +
      `form-action 'self'; frame-ancestors 'self' http://localhost:${port}; ` +
      "require-trusted-types-for 'script'; trusted-types lit-html",
  })
  response.end(file)
})

beforeAll(async () => {
  const configFile = fileURLToPath(new URL('../playground/vite.config.ts', import.meta.url))
  const built = await build({
    configFile,
    configLoader: 'runner',
    mode: 'production',
    logLevel: 'error',
    build: { write: false },
  })
  for (const file of (built as Rolldown.RolldownOutput).output) {
    files.set(file.fileName, file.type === 'chunk' ? file.code : String(file.source))
  }
  await new Promise<void>((resolve) => server.listen(0, resolve))
  port = (server.address() as AddressInfo).port
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

const ends: Readonly<Record<string, string>> = {
  real: 'idle',
  slow: 'ready',
  tall: 'ready',
  canceled: 'finished',
}

test.each(Object.entries<Scenario>(scenarios))(
  'the playground shows %s',
  async (name, scenario) => {
    const { fake, dead } = scenario
    const waits =
      dead !== undefined || fake?.steps?.some((step) => typeof step === 'object' && 'wait' in step)
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    if (waits) {
      await page.clock.install({ time: 0 })
      await page.clock.pauseAt(1000)
    }
    await page.goto(`http://127.0.0.1:${port}/play/?show=${name}`, {
      waitUntil: 'domcontentloaded',
    })
    const secret = page.frameLocator('iframe').getByTestId('secret')
    if (waits && fake) await expect.poll(() => secret.textContent()).toBe('yes')
    const shown = name.includes('_') || /^(offline|unreachable|unauthorized|internal)$/.test(name)
    const later = async (): Promise<string | null> => {
      if (waits) await page.clock.runFor(500)
      return await page.locator('#state').textContent()
    }
    await expect.poll(later, { timeout: 15_000 }).toBe(shown ? 'error' : (ends[name] ?? name))
    expect(await page.locator('#error').textContent()).toBe(shown ? name : 'none')
    expect(new URL(page.url()).hostname).toBe('localhost')
    await page.close()
  },
)

test('its knobs reach the element, and its log shows the events', async () => {
  const page = await browser.newPage()
  await page.goto(`http://localhost:${port}/play/?show=ready`)
  const frame = page.locator('iframe')
  await expect.poll(() => page.locator('#log').textContent()).toContain('pi-ready')
  await page.locator('[name=locale]').selectOption('ru')
  await expect.poll(() => frame.getAttribute('title')).toBe('Безопасная форма оплаты')
  await page.locator('[name=label]').fill('Pay here')
  await expect.poll(() => frame.getAttribute('title')).toBe('Pay here')
  await page.locator('[name=min]').fill('700')
  expect(await frame.evaluate((element) => element.getBoundingClientRect().height)).toBe(700)
  await page.close()
})
