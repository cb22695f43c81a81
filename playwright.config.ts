import { firefoxPath, installedChromium } from '@pi-checkout/test-support/browsers'
import { defineConfig } from '@playwright/test'

const { PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env
const firefox = firefoxPath()
const chromium = { launchOptions: await installedChromium() }
const inspector = 'hosted/inspector*.test.ts'

/**
 * The tests of what another engine may do differently, which are skipped if the browser is not installed. What a server
 * decides, the fake, messages, and texts need no second engine.
 */
const otherEngines = [
  'stories/{full-page,keyboard,pay,preload}.test.ts',
  'security/{framing,headers}.test.ts',
  'element/{failures,lifecycle,size}.test.ts',
]
const sameInEachEngine =
  / in (?:en|hy|ru) |: (?:challenge|pending|stolen|succeeded)$|declined buyer sees|bank denies|denied challenge|who cancels|separate window/

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: PLAYWRIGHT_JSON_OUTPUT_NAME ? [['list'], ['json']] : 'list',
  use: {
    locale: 'en-US',
    screenshot: 'only-on-failure',
  },
  projects: [
    // Each project has its own workers, and each worker starts a service, a shop, and a browser.
    // Vitest runs the journeys in WebKit, which Playwright drives only if it has downloaded it.
    { name: 'chromium', testIgnore: ['webkit/**', inspector], use: chromium },
    // Its tests empty the service.
    { name: 'inspector', testMatch: inspector, use: chromium },
    {
      name: 'firefox',
      metadata: { isInstalled: firefox !== undefined },
      testMatch: otherEngines,
      grepInvert: sameInEachEngine,
      use: {
        browserName: 'firefox',
        channel: 'moz-firefox',
        launchOptions: {
          ...(firefox !== undefined && { executablePath: firefox }),
          // Playwright's clicks do not reach frames that run in another process. The origins,
          // and so the rules between them, stay apart.
          firefoxUserPrefs: { 'fission.webContentIsolationStrategy': 0 },
        },
      },
    },
  ],
})
