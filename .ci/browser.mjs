// The browsers to test with. Run by itself it prints the path of Chromium, and exits 1 when there is none.
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const chromiums = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const firefoxes = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]

/** @returns {Promise<string | undefined>} CHROMIUM_PATH, else Playwright's own download, else the system's. */
export async function chromiumPath() {
  const { chromium } = await import('@playwright/test')
  const candidates = [process.env.CHROMIUM_PATH, chromium.executablePath(), ...chromiums]
  return candidates.find((path) => path && existsSync(path))
}

/** @returns {Promise<{ executablePath?: string }>} How Playwright launches it. */
export async function installedChromium() {
  const executablePath = await chromiumPath()
  return executablePath ? { executablePath } : {}
}

/**
 * A stock Firefox, as buyers have it: Playwright's own is another program.
 *
 * @returns {string | undefined} FIREFOX_PATH, else the system's.
 */
export function firefoxPath() {
  return [process.env.FIREFOX_PATH, ...firefoxes].find((path) => path && existsSync(path))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = await chromiumPath()
  if (!path) process.exit(1)
  console.log(path)
}
