// A buyer in WebKit, through the WebDriver of WebKitGTK: Playwright drives only a WebKit that it has downloaded.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { freePort } from '@pi-checkout/test-support/free-port'
import { type Stack, startStack } from '@pi-checkout/test-support/stack'
import { Builder, By, type WebDriver } from 'selenium-webdriver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const browserPath = readdirSync('/usr/lib')
  .map((folder) => `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`)
  .find((path) => existsSync(path))
const isInstalled = browserPath && ['WebKitWebDriver', 'Xvfb'].every(isProgram)
const needsWebKit = isInstalled ? test : test.skip

const programs: ChildProcess[] = []
let stack: Stack
let driver: WebDriver

beforeAll(async () => {
  if (!isInstalled) return
  stack = await startStack()
  driver = await startBrowser()
}, 120_000)

afterAll(async () => {
  await driver?.quit()
  for (const program of programs.reverse()) program.kill()
  await stack?.stop()
})

needsWebKit("a buyer passes the bank's challenge inside the frame", async () => {
  await openCheckout()
  await payBy('4000000000003220')
  await enterFrame('one-time-code', 2)
  await type('one-time-code', '1234')
  await press('form button')
  await expectPaid()
})

needsWebKit('a bank with a separate page returns the buyer to a paid order', async () => {
  await openCheckout()
  await payBy('4000002760003184')
  await driver.switchTo().defaultContent()
  await expect.poll(() => driver.getCurrentUrl()).toMatch(/\/bank$/)
  await type('one-time-code', '1234')
  await press('form button')
  await expectPaid()
})

needsWebKit('a buyer passes the challenge on the full page', async () => {
  await openCheckout()
  await driver.switchTo().defaultContent()
  await press('.other-way button')
  await expect.poll(() => driver.getCurrentUrl()).toMatch(/\/page\?/)
  await payBy('4000000000003220')
  await enterFrame('one-time-code')
  await type('one-time-code', '1234')
  await press('form button')
  await expectPaid()
})

async function startBrowser(): Promise<WebDriver> {
  const args = ['-displayfd', '1', '-screen', '0', '1400x1100x24', '-nolisten', 'tcp']
  const display = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  programs.push(display)
  const [number] = await once(display.stdout, 'data')
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${String(number).trim()}` }
  programs.push(spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' }))
  const server = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(`${server}/status`), 30_000)
  const options = { binary: browserPath, args: ['--automation'] }
  const capabilities = { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options }
  return await new Builder().usingServer(server).withCapabilities(capabilities).build()
}

/** Orders a product as another buyer, and enters the frame of the hosted page. */
async function openCheckout(): Promise<void> {
  await driver.get(stack.shopUrl)
  await driver.manage().deleteAllCookies()
  await driver.get(stack.shopUrl)
  await press('[data-testid=add-to-cart]')
  await expect.poll(() => textOf('[data-testid=cart-count]')).toBe('1')
  await driver.get(`${stack.shopUrl}/cart`)
  await press('[data-testid=place-order]')
  await enterFrame('cc-number')
}

async function payBy(card: string): Promise<void> {
  await type('cc-number', card)
  await type('cc-exp', '12/34')
  await type('cc-csc', '123')
  await type('cc-name', 'Ani Petrosyan')
  await press('form button:not([type=button])')
}

async function expectPaid(): Promise<void> {
  await driver.switchTo().defaultContent()
  const paid = By.css('[data-testid=order-state][data-state=paid]')
  await expect.poll(() => driver.findElements(paid)).toHaveLength(1)
}

/** Enters the frame of `<pi-checkout>`, or the frame of the bank in it, when it shows a field. */
async function enterFrame(field: string, depth: 1 | 2 = 1): Promise<void> {
  await retry(async () => {
    await driver.switchTo().defaultContent()
    for (let level = 0; level < depth; level++) {
      const [element] = await driver.findElements(By.css('pi-checkout'))
      const root = element ? await element.getShadowRoot() : driver
      await driver.switchTo().frame(await root.findElement(By.css('iframe')))
    }
    await driver.findElement(byAutocomplete(field))
  })
}

/** Replaces the text of a field, which a frame of another origin gets after a click only. */
async function type(autocomplete: string, text: string): Promise<void> {
  await retry(async () => {
    const field = await driver.findElement(byAutocomplete(autocomplete))
    await field.click()
    await field.clear()
    await field.sendKeys(text)
  })
}

function byAutocomplete(name: string): By {
  return By.css(`input[autocomplete~="${name}"]`)
}

async function press(selector: string): Promise<void> {
  await retry(async () => (await driver.findElement(By.css(`${selector}:enabled`))).click())
}

async function textOf(selector: string): Promise<string> {
  return await driver.findElement(By.css(selector)).getText()
}

/** Repeats a step until the page is ready for it. */
async function retry(step: () => Promise<void>): Promise<void> {
  await expect.poll(() => step().then(() => 'done', String)).toBe('done')
}

function isProgram(name: string): boolean {
  return existsSync(`/usr/bin/${name}`)
}
