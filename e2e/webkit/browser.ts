/**
 * The part of Playwright's API that the stories use, over WebDriver. `unable.ts` lists what it does not have.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { openSession, retry, startDisplay, type WebdriverSession } from './driver.ts'
import { find, type Step, type Text } from './find.ts'

/** What `browser` is in the project for WebKit. */
export async function startWebkit(): Promise<Browser> {
  const display = await startDisplay()
  const newContext = async (options: ContextOptions = {}): Promise<WebkitContext> =>
    new WebkitContext(await openSession(display.name, options.locale ?? 'en-US'), options)
  const browser = {
    newContext,
    newPage: async (options: ContextOptions) => (await newContext(options)).newPage(),
    close: async () => display.stop(),
  }
  return browser as unknown as Browser
}

/** How long a step waits for what it needs, as long as the test has time. */
const timeout = 60_000

interface ContextOptions {
  readonly locale?: string
  readonly baseURL?: string
}

class WebkitContext {
  readonly session: WebdriverSession
  readonly options: ContextOptions
  readonly #pages: WebkitPage[] = []
  #first: string | undefined

  constructor(session: WebdriverSession, options: ContextOptions) {
    this.session = session
    this.options = options
  }

  async newPage(): Promise<WebkitPage> {
    const { session } = this
    return session.alone(async () => {
      // The first window stays, because a session ends with its last one.
      this.#first ??= await session.send<string>('GET', '/window')
      await session.send('POST', '/window', { handle: this.#first })
      const window = { type: 'window' }
      const { handle } = await session.send<{ handle: string }>('POST', '/window/new', window)
      const page = new WebkitPage(this, handle)
      this.#pages.push(page)
      return page
    })
  }

  pages(): readonly WebkitPage[] {
    return this.#pages
  }

  async close(): Promise<void> {
    await this.session.close()
  }
}

/** A function that runs in the page. Its last argument is JSON. */
type InPage = string | ((first: never, second: never) => unknown)

interface Named {
  readonly name?: string | RegExp
}

/** Where elements are looked up: the page, a frame, or other elements. */
abstract class Scope {
  abstract step(step: Step): WebkitLocator

  locator(value: string): WebkitLocator {
    return this.step({ by: 'css', value })
  }

  frameLocator(selector: string): WebkitLocator {
    return this.locator(selector).contentFrame()
  }

  getByTestId(id: string): WebkitLocator {
    return this.locator(`[data-testid="${id}"]`)
  }

  getByRole(value: string, { name = '' }: Named = {}): WebkitLocator {
    return this.step({ by: 'role', value, name: sendable(name) })
  }

  getByLabel(label: string | RegExp): WebkitLocator {
    return this.step({ by: 'label', value: sendable(label) })
  }

  getByText(text: string | RegExp): WebkitLocator {
    return this.step({ by: 'text', value: sendable(text) })
  }
}

class WebkitPage extends Scope {
  readonly _apiName = 'Page'
  readonly #context: WebkitContext
  readonly #window: string
  #url = 'about:blank'
  /** The path of the frame of the last step. */
  #lastFrame: readonly Step[] = []

  constructor(context: WebkitContext, window: string) {
    super()
    this.#context = context
    this.#window = window
  }

  step(step: Step): WebkitLocator {
    return new WebkitLocator(this, [step])
  }

  context(): WebkitContext {
    return this.#context
  }

  /** The address after the last step of the test. */
  url(): string {
    return this.#url
  }

  async goto(address: string): Promise<void> {
    await this.send('POST', '/url', { url: new URL(address, this.#context.options.baseURL).href })
    await this.settle()
  }

  async goBack(): Promise<void> {
    await this.send('POST', '/back', {})
  }

  async bringToFront(): Promise<void> {}

  async close(): Promise<void> {
    await this.send('DELETE', '/window')
  }

  async setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void> {
    await this.send('POST', '/window/rect', size)
  }

  frames(): readonly WebkitLocator[] {
    // A page may have other frames.
    const frame = this.frameLocator('pi-checkout iframe, iframe')
    return [this.mainFrame(), frame, frame.frameLocator('iframe')]
  }

  /** Also what the assertions about a page call. */
  mainFrame(): WebkitLocator {
    return new WebkitLocator(this, [])
  }

  async evaluate(work: InPage, argument?: unknown): Promise<unknown> {
    const value = await this.mainFrame().evaluate(work, argument)
    await this.settle()
    return value
  }

  async waitForFunction(work: InPage, argument?: unknown): Promise<void> {
    await retry(async () => {
      if (!(await this.evaluate(work, argument))) throw new Error(`still waiting: ${work}`)
    }, timeout)
  }

  async waitForURL(address: string): Promise<void> {
    await retry(async () => {
      await this.settle()
      const there = address.replace(/^\*\*/, '')
      if (there === address ? this.#url !== there : !this.#url.endsWith(there)) {
        throw new Error(`the page is ${this.#url}, not ${address}`)
      }
    }, timeout)
  }

  /** Waits until a document or frame has loaded something, from its list, which has neither statuses nor bodies. */
  async waitForResponse(accepts: (response: object) => boolean): Promise<object> {
    const since = Date.now()
    return retry(async () => {
      for (const { path } of this.frames()) {
        const urls = await this.inFrame(path, (session) =>
          session.script<string[]>(loadedSince, [since]),
        )
        const response = urls
          .map((url) => ({ url: () => url, ok: () => true, json: () => this.#handoff(url) }))
          .find(accepts)
        if (response) return response
      }
      throw new Error(`no response: ${accepts}`)
    }, timeout)
  }

  /** Requests the handoff of this page again. */
  async #handoff(route: string): Promise<unknown> {
    return this.evaluate(async (url: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ orderId: location.pathname.split('/').at(-1) }),
      })
      return response.json()
    }, route)
  }

  readonly keyboard = {
    press: async (key: string): Promise<void> => this.keyboard.type(keys[key] ?? key),
    type: async (text: string): Promise<void> => {
      const actions = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      // Keys reach a frame only from that frame.
      await this.inFrame(this.#lastFrame, (session) =>
        session.send('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] }),
      )
    },
  }

  async settle(): Promise<void> {
    this.#url = await this.send('GET', '/url')
  }

  async send<Value>(method: string, path: string, body?: object): Promise<Value> {
    return this.inFrame([], (session) => session.send<Value>(method, path, body))
  }

  /** Sends commands to the frame that a path leads to. */
  async inFrame<Value>(
    path: readonly Step[],
    commands: (session: WebdriverSession, rest: readonly Step[]) => Promise<Value>,
  ): Promise<Value> {
    const { session } = this.#context
    return session.alone(async () => {
      await session.send('POST', '/window', { handle: this.#window })
      await session.send('POST', '/frame', { id: null })
      let rest = path
      for (let end = rest.findIndex(isFrame); end >= 0; end = rest.findIndex(isFrame)) {
        const frame = await session.script<object>(findFirst, [rest.slice(0, end)])
        if (!frame) throw new Error(`no frame: ${JSON.stringify(rest)}`)
        await session.send('POST', '/frame', { id: frame })
        rest = rest.slice(end + 1)
      }
      this.#lastFrame = path.slice(0, path.length - rest.length)
      return commands(session, rest)
    })
  }
}

class WebkitLocator extends Scope {
  readonly _apiName = 'Locator'
  readonly #page: WebkitPage
  readonly path: readonly Step[]

  constructor(page: WebkitPage, path: readonly Step[]) {
    super()
    this.#page = page
    this.path = path
  }

  step(step: Step): WebkitLocator {
    return new WebkitLocator(this.#page, [...this.path, step])
  }

  get #isDocument(): boolean {
    return this.path.length === 0 || this.path.at(-1)?.by === 'frame'
  }

  page(): WebkitPage {
    return this.#page
  }

  contentFrame(): WebkitLocator {
    return this.step({ by: 'frame', value: '' })
  }

  first(): WebkitLocator {
    return this.nth(0)
  }

  nth(value: number): WebkitLocator {
    return this.step({ by: 'nth', value })
  }

  filter({ hasText }: { readonly hasText: string | RegExp }): WebkitLocator {
    return this.step({ by: 'hasText', value: sendable(hasText) })
  }

  async click(): Promise<void> {
    await this.#reveal()
    await this.#retry((id, session) => session.send('POST', `/element/${id}/click`, {}))
  }

  async dblclick(): Promise<void> {
    await this.#reveal()
    const press = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    await this.#retry((id, session) => {
      const origin = { 'element-6066-11e4-a52e-4f735466cecf': id }
      const actions = [{ type: 'pointerMove', origin, x: 0, y: 0 }, ...press, ...press]
      const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }
      return session.send('POST', '/actions', { actions: [mouse] })
    })
  }

  async fill(text: string): Promise<void> {
    // A frame of another origin takes the focus with a click only.
    await this.click()
    await this.evaluate((field: HTMLInputElement, value: string) => {
      field.select()
      // As a paste. The result is false for a field that formats the text itself.
      document.execCommand('insertText', false, value)
    }, text)
  }

  async press(key: string): Promise<void> {
    const isFramedButton = await this.evaluate((element: HTMLElement) => {
      element.focus()
      return element.matches('button') && window !== window.top
    })
    // As in fill(): without a click, the keys do not reach the frame.
    if (isFramedButton) await this.click()
    else await this.#page.keyboard.press(key)
  }

  async waitFor(): Promise<void> {
    const { matches } = await this._expect('to.be.visible', { timeout })
    if (!matches) throw new Error(`not visible: ${this}`)
  }

  async textContent(): Promise<unknown> {
    return this.evaluate((element: Element) => element.textContent)
  }

  /** Calls a function with the first element; in a frame, without. */
  async evaluate(work: InPage, argument?: unknown): Promise<unknown> {
    if (typeof work === 'string') return this.#evaluate(`() => eval(${JSON.stringify(work)})`)
    const first = this.#isDocument ? '' : 'found[0], '
    return this.#evaluate(`(found, argument) => (${work})(${first}argument)`, argument)
  }

  async evaluateAll(work: InPage): Promise<unknown> {
    return this.#evaluate(String(work))
  }

  /** The function may return a promise. Other commands run until it is settled. */
  async #evaluate(work: string, argument: unknown = null): Promise<unknown> {
    const start = `
      const results = document.results ??= []
      const [steps, argument] = arguments
      const at = results.push(undefined) - 1
      const work = async () => (${work})((${find})(steps), argument)
      work().then((value) => { results[at] = { value: JSON.stringify(value) } }, (error) => { results[at] = { error: String(error) } })
      return at`
    const at = await this.#retry((_, session, rest) =>
      session.script<number>(start, [rest, argument]),
    )
    const read = `return document.results ? document.results[${at}] : { error: 'the document is gone' }`
    for (;;) {
      const result = await this.#page.inFrame(this.path, (session) =>
        session.script<{ readonly value?: string; readonly error?: string } | null>(read),
      )
      if (result?.error) throw new Error(result.error)
      if (result) return result.value && JSON.parse(result.value)
      await sleep(50)
    }
  }

  /** What the assertions of Playwright call. */
  async _expect(expression: string, expected: Expected) {
    const { timeout: limit = timeout, isNot = false } = expected
    for (const end = Date.now() + limit; ; await sleep(50)) {
      const facts = await this.#facts(expected.expressionArg).catch(() => noFrame)
      const matches = compare(expression, facts, expected)
      if (matches === !isNot) {
        await this.#page.settle()
        return { matches }
      }
      if (Date.now() >= end) {
        return { matches: isNot, received: { value: JSON.stringify(facts) }, timedOut: true }
      }
    }
  }

  async #facts(attribute = ''): Promise<Facts> {
    return this.#page.inFrame(this.path, (session, rest) =>
      session.script<Facts>(`return (${factsOf})((${find})(arguments[0]), arguments[1])`, [
        rest,
        attribute,
      ]),
    )
  }

  /** Scrolls to the first element. In a frame, neither WebDriver nor `scrollIntoView` scrolls the pages around it. */
  async #reveal(): Promise<void> {
    let y = await this.evaluate((element: Element) => {
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
      const { top, height } = element.getBoundingClientRect()
      return top + height / 2
    })
    for (let end = this.path.findLastIndex(isFrame); end >= 0; ) {
      const outside = new WebkitLocator(this.#page, this.path.slice(0, end))
      y = await outside.evaluate(scrollAround, y)
      end = outside.path.findLastIndex(isFrame)
    }
  }

  /** Sends commands for the first element, once it is there. The document of a frame is there, or is not. */
  async #retry<Value>(
    commands: (id: string, session: WebdriverSession, rest: readonly Step[]) => Promise<Value>,
  ): Promise<Value> {
    const send = (): Promise<Value> =>
      this.#page.inFrame(this.path, async (session, rest) => {
        if (this.#isDocument) return commands('', session, rest)
        const element = await session.script<object | null>(findFirst, [rest])
        if (!element) throw new Error(`no element: ${this}`)
        return commands(Object.values(element)[0], session, rest)
      })
    return this.#isDocument ? send() : retry(send, timeout)
  }

  override toString(): string {
    return JSON.stringify(this.path)
  }
}

const findFirst = `return (${find})(arguments[0])[0]`

type Facts = ReturnType<typeof factsOf>

/** What `_expect` compares. Runs in the page. */
function factsOf(found: readonly HTMLInputElement[], attribute: string) {
  const [first] = found
  return {
    count: found.length,
    isVisible: first?.checkVisibility?.({ visibilityProperty: true }) ?? false,
    isLocked: !first || first.disabled || first.readOnly || first.ariaDisabled === 'true',
    text: first?.textContent ?? null,
    attribute: first?.getAttribute?.(attribute) ?? null,
    title: document.title,
  }
}

const noFrame: Facts = {
  ...{ count: 0, isVisible: false, isLocked: true, text: null, attribute: null, title: '' },
}

interface Expected {
  readonly timeout?: number
  readonly isNot?: boolean
  readonly expressionArg?: string
  readonly expectedNumber?: number
  readonly expectedText?: readonly ExpectedText[]
}

interface ExpectedText {
  readonly string?: string
  readonly regexSource?: string
  readonly regexFlags?: string
  readonly matchSubstring?: boolean
  readonly normalizeWhiteSpace?: boolean
}

function compare(expression: string, facts: Facts, expected: Expected): boolean {
  const [text = {}] = expected.expectedText ?? []
  if (expression === 'to.be.visible') return facts.isVisible
  if (expression === 'to.be.enabled' || expression === 'to.be.editable') return !facts.isLocked
  if (expression === 'to.have.count') return facts.count === expected.expectedNumber
  if (expression === 'to.have.text') return matches(facts.text, text)
  if (expression === 'to.have.attribute.value') return matches(facts.attribute, text)
  if (expression === 'to.have.title') return matches(facts.title, text)
  throw new TypeError(`WebKit's page does not know ${expression}`)
}

function matches(text: string | null, expected: ExpectedText): boolean {
  if (text === null) return false
  const { string = '', regexSource, regexFlags, matchSubstring, normalizeWhiteSpace } = expected
  const spaced = (one: string): string =>
    normalizeWhiteSpace ? one.replaceAll(/\s+/g, ' ').trim() : one
  const [plain, wanted] = [spaced(text), spaced(string)]
  if (regexSource !== undefined) return new RegExp(regexSource, regexFlags).test(plain)
  return matchSubstring ? plain.includes(wanted) : plain === wanted
}

/** Runs in the page: scrolls a height of a frame to the middle. Returns where it is then. */
function scrollAround(frame: Element, y: number): number {
  for (let node: Node | null = frame; node; node = node.parentNode ?? (node as ShadowRoot).host) {
    if (!(node instanceof Element) || node === frame) continue
    const top = node === document.scrollingElement ? 0 : node.getBoundingClientRect().top
    const middle = top + node.clientHeight / 2
    node.scrollBy({ top: frame.getBoundingClientRect().top + y - middle, behavior: 'instant' })
  }
  return frame.getBoundingClientRect().top + y
}

/** Runs in the page. A response of the same document before that time is not in the list. */
const loadedSince = `
  return performance.getEntriesByType('resource')
    .filter(({ startTime }) => performance.timeOrigin + startTime >= arguments[0] - 5)
    .map(({ name }) => name)`

/** Keys that WebDriver has no letter for. */
const keys: Readonly<Record<string, string>> = { Tab: '\uE004', Enter: '\uE007' }

function sendable(text: string | RegExp): Text {
  return typeof text === 'string' ? text : { source: text.source, flags: text.flags }
}

function isFrame({ by }: Step): boolean {
  return by === 'frame'
}
