import { firefoxPath, installedChromium } from '@pi-checkout/test-support/browsers'
import { defineConfig } from '@playwright/test'

const { PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env
const firefox = firefoxPath()
const chromium = { launchOptions: await installedChromium() }

/** The tests of engines other than Chromium, which are skipped if the browser is not installed. */
const otherEngines = [
  'stories/*.test.ts',
  'security/{framing,headers,issuer,two-tabs}.test.ts',
  'element/{failures,lifecycle,size}.test.ts',
]

export default defineConfig({
  testDir: 'e2e',
  // Vitest runs the journeys in WebKit, which Playwright drives only if it has downloaded it.
  testIgnore: 'webkit/**',
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
    // The last screen of every story is saved for a manual review.
    { name: 'chromium', testDir: 'e2e/stories', use: { ...chromium, screenshot: 'on' } },
    { name: 'security', testDir: 'e2e/security', use: chromium },
    { name: 'element', testDir: 'e2e/element', use: chromium },
    { name: 'hosted', testDir: 'e2e/hosted', use: chromium },
    { name: 'shop', testDir: 'e2e/shop', use: chromium },
    { name: 'packages', testDir: 'e2e/packages', use: chromium },
    {
      name: 'firefox',
      metadata: { isInstalled: firefox !== undefined },
      testMatch: otherEngines,
      // Four pages at once have no keyboard in Firefox, and the deployment needs one engine.
      testIgnore: 'stories/*.soak.test.ts',
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
