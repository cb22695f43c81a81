import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeHostedPage } from '../src/testing/index.ts'
import {
  clickInFrame,
  eventsAfterTick,
  eventsOf,
  installClock,
  mountDirectly,
  readyEvents,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()
const finishedEvents = ['pi-statechange finished', 'pi-finish']

test('moveBefore keeps frame and state (threat 53)', async () => {
  const page = await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    "document.querySelector('main').moveBefore(pay, document.querySelector('h1'))",
  )
  await page.frameLocator('iframe').getByTestId('busy').click()
  await waitForState(page, 'busy')
  expect(await eventsOf(page)).toEqual([...readyEvents, 'pi-statechange busy'])
})

test('mounts the same values again after append or a later insertion (threat 53)', async () => {
  const page = await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  await page.evaluate("void document.querySelector('main').append(pay)")
  await expect
    .poll(() => eventsOf(page))
    .toEqual([...readyEvents, 'pi-statechange idle', ...readyEvents])
  const removed = await page.evaluate(async () => {
    const pay = document.getElementById('pay') as HTMLElementTagNameMap['pi-checkout']
    pay.remove()
    const result = [pay.state, pay.shadowRoot?.querySelectorAll('iframe').length]
    await new Promise((resolve) => setTimeout(resolve, 100))
    document.querySelector('main')?.append(pay)
    return result
  })
  expect(removed).toEqual(['idle', 0])
  await waitForState(page, 'ready')
  expect(new Set(sites.requests)).toEqual(new Set(['/checkout/pi_1']))
})

/** Counts what a session uses: pending timers, listeners on window and document, open ports. */
function countResources(): void {
  const timers = new Set<unknown>()
  const listeners = new Set<unknown>()
  const ports = new Set<unknown>()
  Object.assign(window, {
    resources: () => ({ timers: timers.size, listeners: listeners.size, ports: ports.size }),
  })
  const { setTimeout, clearTimeout, addEventListener, MessageChannel } = window
  window.setTimeout = ((handler: () => void, time?: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      handler()
    }, time)
    timers.add(timer)
    return timer
  }) as typeof window.setTimeout
  window.clearTimeout = (timer) => {
    timers.delete(timer)
    clearTimeout(timer)
  }
  for (const target of [window, document]) {
    Object.assign(target, {
      addEventListener(type: string, listener: () => void, options?: AddEventListenerOptions) {
        addEventListener.call(target, type, listener, options)
        if (!options?.signal) return
        listeners.add(listener)
        options.signal.addEventListener('abort', () => listeners.delete(listener))
      },
    })
  }
  window.MessageChannel = class extends MessageChannel {
    constructor() {
      super()
      const { port1 } = this
      ports.add(port1)
      port1.close = () => {
        ports.delete(port1)
        MessagePort.prototype.close.call(port1)
      }
    }
  }
}

// A removed element is no longer the global of its id, and its events no longer reach the document.
const removeOnEvent = `
  const element = pay
  element.addEventListener('pi-statechange', ({ state }) => {
    if (state === 'idle' && !element.isConnected) eventLog.push('removed')
  })
  element.addEventListener('EVENT', () => {
    element.remove()
    window.remaining ??= { ...resources(), frames: frames.length, state: element.state }
  })`

test.each([
  ['pi-statechange', {}],
  ['pi-ready', {}],
  ['pi-leave', { steps: ['ready', 'leave'] }],
  ['pi-finish', { steps: ['ready', 'finish'] }],
  ['pi-cancel', { steps: ['ready', 'cancel'] }],
  ['pi-error', { steps: ['ready', { fail: 'unauthorized' }] }],
] as const)(
  'leaves no frame, port, listener, or timer if a %s handler removes it',
  async (type, hosted) => {
    const page = await sites.openShop({
      script: removeOnEvent.replace('EVENT', type) + mountDirectly,
      hosted,
      prepare: (_, context) => context.addInitScript(countResources),
    })
    await waitForEvent(page, 'removed')
    const none = { timers: 0, listeners: 0, ports: 0, frames: 0, state: 'idle' }
    expect(await page.evaluate('remaining')).toEqual(none)
    await page.waitForTimeout(100)
    if (type === 'pi-statechange') expect(await eventsOf(page)).not.toContain('pi-ready')
    expect(await page.locator('iframe').count()).toBe(0)
  },
)

test('does not retry after its removal', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ fail: 'internal' }] },
    script: `${mountDirectly}
      const element = pay
      addEventListener('message', () => {
        setTimeout(() => { element.remove(); eventLog.push('removed') }, 300)
      }, { once: true })`,
    prepare: installClock,
  })
  await waitForEvent(page, 'removed')
  await page.clock.runFor(2000)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

const clear =
  'pay.clientSecret = null; setTimeout(() => { pay.clientSecret = "pi_1_secret_x" }, 50)'

test.each<[string, string, string[], string[]]>([
  ['a reload of the frame', 'pay.shadowRoot.querySelector("iframe").src += ""', [], []],
  ['reload()', 'pay.reload()', [], []],
  ['another insertion', 'document.body.append(pay)', ['pi-statechange idle'], []],
  ['clearing the secret for a moment', clear, ['pi-statechange idle'], ['pi-finish']],
])('%s after pi-finish connects again', async (_, script, before, after) => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'finish'] } })
  await waitForEvent(page, 'pi-finish')
  await page.evaluate(`{ ${script}; 0 }`)
  const again = [...before, ...readyEvents, 'pi-statechange finished', ...after]
  await expect.poll(() => eventsOf(page)).toEqual([...readyEvents, ...finishedEvents, ...again])
  expect(await textInFrame(page, 'secret')).toBe('yes')
  expect(new Set(sites.requests)).toEqual(new Set(['/checkout/pi_1']))
})

test('replaces a frame that navigates to a page without a response', async () => {
  sites.expectedMessages.push(/Failed to load resource/)
  const { html } = fakeHostedPage()
  let running = true
  const page = await sites.openShop({
    hosted: () => (running ? { body: html } : undefined),
    prepare: installClock,
  })
  await waitForEvent(page, 'pi-ready')
  running = false
  const failed = page.waitForEvent('requestfailed')
  await clickInFrame(page, 'reload')
  await failed
  running = true
  await expect
    .poll(() => eventsAfterTick(page), { timeout: 15_000 })
    .toEqual([...readyEvents, ...readyEvents])
})

test('two elements with two intents receive only their own messages', async () => {
  const page = await sites.openShop({
    body: '<pi-checkout id="pay"></pi-checkout><pi-checkout id="other"></pi-checkout>',
    script: `${mountDirectly}
      window.finished = []
      document.addEventListener('pi-finish', ({ intentId, target }) => finished.push([intentId, target.id]))
      Object.assign(other, { intentId: 'pi_2', clientSecret: 'pi_2_secret_y' })`,
    hosted: (path) => ({
      body: fakeHostedPage({ steps: path.endsWith('pi_1') ? ['ready', 'finish'] : ['ready'] }).html,
    }),
  })
  await waitForState(page, 'finished')
  await waitForState(page, 'ready', 'other')
  expect(await page.evaluate('finished')).toEqual([['pi_1', 'pay']])
  await clickInFrame(page, 'fail-unauthorized', '#other iframe')
  await waitForState(page, 'error', 'other')
  await waitForState(page, 'finished')
})

const librarySource = (path: string): string =>
  readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8')
const attributeFirst = `pay.setAttribute('intent-id', 'pi_1'); ${mountDirectly}; pay.intentId = 'pi_1'`
const idiomorph = {
  library: 'idiomorph',
  code: `${librarySource('idiomorph/dist/idiomorph.js')}; Idiomorph.morph(document.body, html)`,
}
const morphdom = {
  library: 'morphdom',
  code: `${librarySource('morphdom/dist/morphdom-umd.js')}; morphdom(document.body, '<body>' + html + '</body>')`,
}

test.each([
  { ...idiomorph, way: 'by property', script: mountDirectly },
  { ...idiomorph, way: 'by property over an attribute', script: attributeFirst },
  { ...morphdom, way: 'by property', script: mountDirectly },
  { ...morphdom, way: 'by property over an attribute', script: attributeFirst },
])('keeps the frame of values set $way when $library morphs the page', async (morph) => {
  const page = await sites.openShop({
    // The HTML of the server: the page before its script ran. Turbo 8, htmx, and LiveView morph to it.
    script: `window.html = document.body.innerHTML; ${morph.script}`,
    hosted: { steps: ['ready', 'busy'] },
  })
  await waitForEvent(page, 'pi-statechange busy')
  const number = page.frameLocator('iframe').getByLabel('Card number')
  await number.fill('4242')
  const before = await eventsOf(page)
  await page.evaluate(`${morph.code}; 0`)
  await page.waitForTimeout(100)
  expect(await number.inputValue()).toBe('4242')
  expect(await eventsOf(page)).toEqual(before)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})
