/**
 * WebKitGTK through its own WebDriver, since Playwright drives only a WebKit that it has downloaded.
 *
 * @module
 * @see https://www.w3.org/TR/webdriver2/
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@pi-checkout/test-support/free-port'

const driver = '/usr/bin/WebKitWebDriver'

/** The path of the browser, if it and its driver are installed. */
export function webkitPath(): string | undefined {
  if (!existsSync(driver) || !existsSync('/usr/bin/Xvfb')) return undefined
  return readdirSync('/usr/lib')
    .map((folder) => `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path))
}

/** An X server without a screen. */
export async function startDisplay(): Promise<{ readonly name: string; stop(): void }> {
  const args = ['-displayfd', '1', '-screen', '0', '1400x1100x24', '-nolisten', 'tcp']
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = await once(server.stdout, 'data')
  return { name: `:${String(number).trim()}`, stop: () => server.kill() }
}

export type WebdriverSession = Awaited<ReturnType<typeof openSession>>

/** Starts a browser with its own cookies. It does one command at a time. */
export async function openSession(display: string, locale: string) {
  const port = await freePort()
  // WebKit takes its language from the name of the system's locale, which need not be installed.
  const locales = mkdtempSync(join(tmpdir(), 'locales-'))
  const { language, region } = new Intl.Locale(locale).maximize()
  const name = `${language}_${region}.UTF-8`
  symlinkSync('/usr/lib/locale/C.utf8', join(locales, name))
  const child = spawn(driver, [`--port=${port}`], {
    stdio: 'ignore',
    // Its programs end with it.
    detached: true,
    env: { ...process.env, DISPLAY: display, LOCPATH: locales, LC_ALL: name },
  })
  // A worker that is ended early closes nothing.
  process.once('exit', () => child.kill())
  const base = `http://127.0.0.1:${port}`
  await retry(() => send(base, 'GET', '/status'), 30_000)
  const options = { binary: webkitPath(), args: ['--automation'] }
  const capabilities = { acceptInsecureCerts: true, 'webkitgtk:browserOptions': options }
  const { sessionId } = await send<{ sessionId: string }>(base, 'POST', '/session', {
    capabilities: { alwaysMatch: capabilities },
  })
  const address = `${base}/session/${sessionId}`
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Runs commands after those of all earlier calls. */
    alone: async <Value>(commands: () => Promise<Value>): Promise<Value> => {
      const result = last.then(commands)
      last = result.catch(() => {})
      return result
    },
    send: <Value>(method: string, path: string, body?: object) =>
      send<Value>(address, method, path, body),
    /** Runs the body of a function in the current frame. */
    script: <Value>(body: string, args: readonly unknown[] = []) =>
      send<Value>(address, 'POST', '/execute/sync', { script: body, args }),
    close: async (): Promise<void> => {
      await send(address, 'DELETE', '').catch(() => {})
      if (child.pid) process.kill(-child.pid, 'SIGTERM')
      rmSync(locales, { recursive: true, force: true })
    },
  }
}

async function send<Value>(
  base: string,
  method: string,
  path: string,
  body?: object,
): Promise<Value> {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  // The standard defines the shape of the response.
  const { value } = (await response.json()) as { value: Value & { message?: string } }
  if (!response.ok) throw new Error(`${method} ${path}: ${value.message}`)
  return value
}

/** Retries until the timeout, and then throws the last error. */
export async function retry<Value>(work: () => Promise<Value>, timeout: number): Promise<Value> {
  for (const end = Date.now() + timeout; ; ) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() >= end) throw error
      await sleep(50)
    }
  }
}
