// The browsers to test with. Plain Node.js without a dependency at import: `scripts/setup.mjs` uses it before the
// installation.
import { existsSync } from 'node:fs'

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

/** @returns {Promise<string | undefined>} `CHROMIUM_PATH`, else Playwright's own download, else the system's. */
export async function chromiumPath() {
  const { chromium } = await import('@playwright/test')
  const candidates = [process.env.CHROMIUM_PATH, chromium.executablePath(), ...chromiums]
  return candidates.find((path) => path && existsSync(path))
}

/** @returns {string | undefined} `CHROMIUM_PATH`, else the system's Chromium without its windows, if it is installed. */
export function headlessShellPath() {
  const candidates = [process.env.CHROMIUM_PATH, '/usr/bin/chromium-headless-shell']
  return candidates.find((path) => path && existsSync(path))
}

/**
 * Returns launch options of Playwright: by default for the same engine without the browser around it, where a page opens
 * in a third of the time. It has no back/forward cache, and no settings for the storage of other sites.
 *
 * @returns {Promise<{ executablePath?: string }>}
 */
export async function installedChromium({ full = false } = {}) {
  const executablePath = (full ? undefined : headlessShellPath()) ?? (await chromiumPath())
  return executablePath ? { executablePath } : {}
}

/**
 * Returns the path of a stock Firefox, as buyers have it: Playwright's own is a patched build.
 *
 * @returns {string | undefined} `FIREFOX_PATH`, else the system's.
 */
export function firefoxPath() {
  return [process.env.FIREFOX_PATH, ...firefoxes].find((path) => path && existsSync(path))
}
