import { installedChromium } from '@pi-checkout/test-support/browsers'
import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.ts',
  outputDir: '../../../../.cache/environments',
  fullyParallel: true,
  reporter: 'line',
  use: { launchOptions: await installedChromium() },
})
