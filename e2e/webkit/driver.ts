/**
 * WebKitGTK through its own WebDriver, since Playwright drives only a WebKit that it has downloaded.
 *
 * @module
 * @see https://www.w3.org/TR/webdriver2/
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@pi-checkout/test-support/free-port'

/** The programs that the suite needs, if both are installed. */
export function webkitPrograms(): { driver: string; browser: string } | undefined {
  const driver = '/usr/bin/WebKitWebDriver'
  if (!existsSync(driver)) return undefined
  const browser = readdirSync('/usr/lib')
    .map((folder) => `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path))
  return browser ? { driver, browser } : undefined
}

interface Found {
  readonly [key: string]: string
}

/** One browser window. Every look-up waits for the element. */
export class WebkitPage {
  readonly #session: string
  readonly #driver: ChildProcess

  private constructor(session: string, driver: ChildProcess) {
    this.#session = session
    this.#driver = driver
  }

  static async open({ driver, browser }: { driver: string; browser: string }): Promise<WebkitPage> {
    const port = await freePort()
    const child = spawn('xvfb-run', ['-a', driver, `--port=${port}`], {
      stdio: 'ignore',
      detached: true,
    })
    const base = `http://127.0.0.1:${port}`
    await retry(() => command(base, 'GET', '/status'))
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } },
    }
    const { sessionId } = await command<{ sessionId: string }>(base, 'POST', '/session', {
      capabilities,
    })
    return new WebkitPage(`${base}/session/${sessionId}`, child)
  }

  async goto(url: string): Promise<void> {
    await this.#do('POST', '/url', { url })
  }

  async resize(size: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#do('POST', '/window/rect', size)
  }

  async click(selector: string): Promise<void> {
    await retry(async () => {
      await this.#do('POST', `/element/${await this.#find(selector)}/click`, {})
    })
  }

  /** Replaces the text of a field. `element/value` rejects fields inside a frame. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector)
    await this.waitFor(`document.querySelector('${selector}').select(); return true`)
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await this.#do('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /** Waits until the script returns a true value. */
  async waitFor(script: string): Promise<void> {
    await retry(async () => {
      const value = await this.#do('POST', '/execute/sync', { script, args: [] })
      if (!value) throw new Error(`still waiting: ${script}`)
    })
  }

  /** Enters the frame that the script returns. */
  async enterFrame(script: string): Promise<void> {
    await retry(async () => {
      const frame = await this.#do('POST', '/execute/sync', { script, args: [] })
      if (!frame) throw new Error(`no frame yet: ${script}`)
      await this.#do('POST', '/frame', { id: frame })
    })
  }

  async leaveFrames(): Promise<void> {
    await this.#do('POST', '/frame', { id: null })
  }

  async close(): Promise<void> {
    await this.#do('DELETE', '').catch(() => {})
    // The whole group: xvfb-run, the display and the driver.
    if (this.#driver.pid) process.kill(-this.#driver.pid, 'SIGTERM')
  }

  async #find(selector: string): Promise<string> {
    const found = await this.#do<Found>('POST', '/element', {
      using: 'css selector',
      value: selector,
    })
    const [id] = Object.values(found)
    if (!id) throw new Error(`no element matches ${selector}`)
    return id
  }

  async #do<Value>(method: string, path: string, body?: object): Promise<Value> {
    return command<Value>(this.#session, method, path, body)
  }
}

async function command<Value>(
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

/** Retries for 20 seconds, and then throws the last error. */
async function retry<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 200) throw error
      await sleep(100)
    }
  }
}
