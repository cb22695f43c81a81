import { firefoxPath, installedChromium } from '@pi-checkout/test-support/browsers'
import { defineConfig } from '@playwright/test'

const firefox = firefoxPath()
const launchOptions = await installedChromium()
const chromium = {
  metadata: { isInstalled: launchOptions.executablePath !== undefined },
  use: { launchOptions },
}
const story = /\/stories\/[\w-]+\.test\.ts$/
const packages = '**/packages/*.test.ts'
const inspector = '**/hosted/inspector*.test.ts'

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // One more than continuous integration has cores: a test often waits for a page's timers.
  workers: 3,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    locale: 'en-US',
    screenshot: 'only-on-failure',
  },
  // The tests of a browser that is not installed are skipped. Vitest runs the journeys in WebKit, which Playwright drives
  // only if it has downloaded it. Each project has its own workers, and each worker starts a service, a shop, and a browser.
  projects: [
    { name: 'stories', testMatch: story, ...chromium },
    // First, because one worker builds all examples, one after the other.
    { name: 'packages', testMatch: packages, ...chromium },
    { name: 'chromium', testIgnore: ['**/webkit/**', story, packages, inspector], ...chromium },
    // Its tests empty the service.
    { name: 'inspector', testMatch: inspector, ...chromium },
    // Of what another engine may do differently. What a server decides, the fake, messages, and texts need no second one.
    {
      name: 'firefox',
      grep: /@firefox/,
      testIgnore: '**/webkit/**',
      metadata: { isInstalled: firefox !== undefined },
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
