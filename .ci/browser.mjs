// Prints the path of the Chromium to test with; exits 1 when there is none.
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** @returns {Promise<string | undefined>} CHROMIUM_PATH, else Playwright's own download, else the system's. */
export async function chromiumPath() {
  const { chromium } = await import('@playwright/test')
  const candidates = [process.env.CHROMIUM_PATH, chromium.executablePath(), ...installed]
  return candidates.find((path) => path && existsSync(path))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = await chromiumPath()
  if (!path) process.exit(1)
  console.log(path)
}
