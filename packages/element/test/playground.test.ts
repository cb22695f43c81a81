import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import { type Site, startSite } from '@pi-checkout/test-support/sites'
import type { Browser } from '@playwright/test'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Scenario, scenarios } from '../playground/scenarios.ts'

let browser: Browser
let site: Site

beforeAll(async () => {
  const configFile = fileURLToPath(new URL('../playground/vite.config.ts', import.meta.url))
  const built = (await build({
    configFile,
    configLoader: 'runner',
    mode: 'production',
    logLevel: 'error',
    build: { write: false },
  })) as Rolldown.RolldownOutput
  const types: Record<string, string> = { css: 'text/css', js: 'text/javascript' }
  site = await startSite((request, response) => {
    const path = new URL(request.url ?? '/', site.origin).pathname
    const name = path.replace('/play/', '') || 'index.html'
    const file = built.output.find(({ fileName }) => fileName === name)
    response.writeHead(file || path === '/favicon.ico' ? 200 : 404, {
      'content-type': types[path.split('.')[1] ?? ''] ?? 'text/html',
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src 'self'; frame-src ${site.origin} http://127.0.0.1:9; ` +
        `form-action 'self'; frame-ancestors 'self' http://localhost:${site.port}; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    })
    response.end(file?.type === 'chunk' ? file.code : file?.source)
  })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
  await site.close()
})

const endStates: Readonly<Record<string, string>> = {
  real: 'idle',
  slow: 'ready',
  tall: 'ready',
  canceled: 'finished',
}

test.each(Object.entries<Scenario>(scenarios))('shows %s', async (name, scenario) => {
  const { fake, unreachableFrom } = scenario
  const waits =
    unreachableFrom || fake?.steps?.some((step) => typeof step === 'object' && 'wait' in step)
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  if (waits) {
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1000)
  }
  await page.goto(`${site.origin}/play/?show=${name}`, { waitUntil: 'domcontentloaded' })
  const secret = page.frameLocator('iframe').getByTestId('secret')
  if (waits && fake) await expect.poll(() => secret.textContent()).toBe('yes')
  const isError = name.includes('_') || /^(offline|unreachable|unauthorized|internal)$/.test(name)
  const stateAfterTick = async (): Promise<string | null> => {
    if (waits) await page.clock.runFor(500)
    return await page.locator('#state').textContent()
  }
  await expect
    .poll(stateAfterTick, { timeout: 15_000 })
    .toBe(isError ? 'error' : (endStates[name] ?? name))
  expect(await page.locator('#error').textContent()).toBe(isError ? name : 'none')
  expect(new URL(page.url()).hostname).toBe('localhost')
  await page.close()
})

test('its settings change the element, and its log shows the events', async () => {
  const page = await browser.newPage()
  await page.goto(`http://localhost:${site.port}/play/?show=ready`)
  const frame = page.locator('iframe')
  await expect.poll(() => page.locator('#log').textContent()).toContain('pi-ready')
  await page.locator('[name=locale]').selectOption('ru')
  await expect.poll(() => frame.getAttribute('title')).toBe('Безопасная форма оплаты')
  await page.locator('[name=label]').fill('Pay here')
  await expect.poll(() => frame.getAttribute('title')).toBe('Pay here')
  await page.locator('[name=accent]').fill('#ad4318')
  const appearance = page.frameLocator('iframe').getByTestId('appearance')
  await expect.poll(() => appearance.textContent()).toBe('{"accent":"#ad4318"}')
  await page.locator('[name=min]').fill('700')
  expect(await frame.evaluate((element) => element.getBoundingClientRect().height)).toBe(700)
  await page.close()
})
