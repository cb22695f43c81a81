import { firefoxPath, installedChromium } from '@pi-checkout/test-support/browsers'
import { defineConfig } from '@playwright/test'
import { webkitPath } from './webkit/driver.ts'
import { unable } from './webkit/unable.ts'

const { PLAYWRIGHT_JSON_OUTPUT_NAME } = process.env
const firefox = firefoxPath()
const chromium = { launchOptions: await installedChromium() }

export default defineConfig({
  outputDir: '../test-results',
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
    { name: 'chromium', testDir: 'stories', use: { ...chromium, screenshot: 'on' } },
    { name: 'security', testDir: 'security', use: chromium },
    ...(firefox
      ? [
          {
            name: 'firefox',
            testMatch: [
              'stories/*.test.ts',
              'security/{framing,headers,integrity,issuer,two-tabs}.test.ts',
            ],
            use: {
              browserName: 'firefox' as const,
              channel: 'moz-firefox',
              launchOptions: {
                executablePath: firefox,
                // Playwright's clicks do not reach frames that run in another process. The origins,
                // and so the rules between them, stay apart.
                firefoxUserPrefs: { 'fission.webContentIsolationStrategy': 0 },
              },
            },
          },
        ]
      : []),
    ...(webkitPath()
      ? [
          {
            name: 'webkit',
            testMatch: [
              'stories/*.test.ts',
              'security/{framing,headers,integrity,issuer,two-tabs}.test.ts',
            ],
            grepInvert: unable.map(([tests]) => tests),
            // Each command of WebDriver takes milliseconds, and a step several commands.
            timeout: 120_000,
            use: { browserName: 'webkit' as const },
          },
        ]
      : []),
  ],
})
