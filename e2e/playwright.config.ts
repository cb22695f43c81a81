import { defineConfig } from '@playwright/test'
import { chromiumPath } from '../.ci/browser.mjs'

const executablePath = await chromiumPath()

export default defineConfig({
  testDir: 'stories',
  outputDir: '../test-results',
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', {}]],
  use: {
    launchOptions: executablePath ? { executablePath } : {},
    locale: 'en-US',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
})
