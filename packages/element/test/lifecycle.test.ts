import { expect, test } from 'vitest'
import { fakeHostedPage } from '../src/testing.ts'
import {
  eventsAfterTimers,
  eventsOf,
  expectEvent,
  expectState,
  installClock,
  mountImmediately,
  prepareTestSites,
  press,
  type Responder,
} from './browser/test-sites.ts'

const sites = prepareTestSites()

const ready = ['pi-statechange loading', 'pi-statechange ready', 'pi-ready']

test('the same values again keep the frame', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  const kept = await page.evaluate(async () => {
    const pay = document.getElementById('pay')
    const frame = (): unknown => pay?.shadowRoot?.querySelector('iframe')
    const before = frame()
    Object.assign(pay ?? {}, { clientSecret: 'pi_1_secret_x', intentId: 'pi_1' })
    pay?.setAttribute('intent-id', 'pi_1')
    await new Promise((resolve) => setTimeout(resolve, 50))
    return before === frame()
  })
  expect(kept).toBe(true)
  expect(await eventsOf(page)).toEqual(ready)
})

test('another pair ends the session and mounts the other; null unmounts', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  await page.evaluate(() => {
    Object.assign(document.getElementById('pay') ?? {}, { clientSecret: 'y', intentId: 'pi_2' })
  })
  await expect.poll(() => eventsOf(page)).toEqual([...ready, ...ready])
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_2'])
  await page.evaluate(() => {
    Object.assign(document.getElementById('pay') ?? {}, { clientSecret: null })
  })
  await expectState(page, 'idle')
  expect(await page.locator('iframe').count()).toBe(0)
})

test('moveBefore keeps frame and state (threat 53)', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  await page.evaluate(() => {
    const main = document.querySelector('main')
    const move = Reflect.get(main ?? {}, 'moveBefore')
    move.call(main, document.getElementById('pay'), document.querySelector('h1'))
  })
  await page.frameLocator('iframe').getByTestId('busy').click()
  await expectState(page, 'busy')
  expect(await eventsOf(page)).toEqual([...ready, 'pi-statechange busy'])
})

test('append and a later return bring a new frame and the same pair (threat 53)', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  await page.evaluate(() => {
    document.querySelector('main')?.append(document.getElementById('pay') ?? '')
  })
  await expect.poll(() => eventsOf(page)).toEqual([...ready, 'pi-statechange idle', ...ready])
  const states = await page.evaluate(async () => {
    const pay = document.getElementById('pay') as HTMLElement & { state: string }
    pay.remove()
    const seen = [pay.state, pay.shadowRoot?.querySelectorAll('iframe').length]
    await new Promise((resolve) => setTimeout(resolve, 100))
    document.querySelector('main')?.append(pay)
    return seen
  })
  expect(states).toEqual(['idle', 0])
  await expectState(page, 'ready')
  expect(new Set(sites.requests)).toEqual(new Set(['/checkout/pi_1']))
})

/** Counts what a session holds: pending timers, listeners on window and document, open ports. */
function countHoldings(): void {
  const timers = new Set<unknown>()
  const listeners = new Set<unknown>()
  const ports = new Set<unknown>()
  Object.assign(window, {
    holdings: () => ({ timers: timers.size, listeners: listeners.size, ports: ports.size }),
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
const removed = `
  const element = pay
  element.addEventListener('pi-statechange', ({ state }) => {
    if (state === 'idle' && !element.isConnected) piEvents.push('removed')
  })
  element.addEventListener('EVENT', () => {
    element.remove()
    window.held ??= JSON.stringify({ ...holdings(), frames: frames.length, state: element.state })
  })`

test.each([
  ['pi-statechange', {}],
  ['pi-ready', {}],
  ['pi-leave', { steps: ['ready', 'leave'] }],
  ['pi-finish', { steps: ['ready', 'finish'] }],
  ['pi-cancel', { steps: ['ready', 'cancel'] }],
  ['pi-error', { steps: ['ready', { fail: 'unauthorized' }] }],
] as const)(
  'removal from inside a %s handler leaves no frame, port, listener or timer',
  async (type, hosted) => {
    const page = await sites.openShop({
      script: removed.replace('EVENT', type) + mountImmediately,
      hosted,
      prepare: (_, context) => context.addInitScript(countHoldings),
    })
    await expectEvent(page, 'removed')
    expect(JSON.parse(await page.evaluate(() => Reflect.get(window, 'held')))).toEqual({
      timers: 0,
      listeners: 0,
      ports: 0,
      frames: 0,
      state: 'idle',
    })
    await page.waitForTimeout(100)
    if (type === 'pi-statechange') expect(await eventsOf(page)).not.toContain('pi-ready')
    expect(await page.locator('iframe').count()).toBe(0)
  },
)

test('a removed element that waited for its retry starts nothing', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ fail: 'internal' }] },
    script: `${mountImmediately}
      const element = pay
      addEventListener('message', () => {
        setTimeout(() => { element.remove(); piEvents.push('removed') }, 300)
      }, { once: true })`,
    prepare: installClock,
  })
  await expectEvent(page, 'removed')
  await page.clock.runFor(2000)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

test('authenticates a reloaded frame again and emits pi-finish once', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'finish'] } })
  await expectEvent(page, 'pi-finish')
  await page.frameLocator('iframe').getByTestId('reload').click()
  await expect
    .poll(() => eventsOf(page))
    .toEqual([
      ...ready,
      'pi-statechange finished',
      'pi-finish',
      ...ready,
      'pi-statechange finished',
    ])
  expect(await page.frameLocator('iframe').getByTestId('secret').textContent()).toBe('yes')
})

test('reload() brings a new session with the same pair, from any state', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'finish'] } })
  await expectEvent(page, 'pi-finish')
  await page.evaluate(() => {
    const pay = document.getElementById('pay') as HTMLElement & { reload(): void }
    pay.reload()
  })
  const finished = 'pi-statechange finished'
  await expect
    .poll(() => eventsOf(page))
    .toEqual([...ready, finished, 'pi-finish', ...ready, finished])
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_1'])
})

test('a pair that was taken away and given again tells pi-finish again', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'finish'] } })
  await expectEvent(page, 'pi-finish')
  await page.evaluate(async () => {
    const pay = document.getElementById('pay') as HTMLElementTagNameMap['pi-checkout']
    pay.clientSecret = null
    await new Promise((resolve) => setTimeout(resolve, 50))
    pay.clientSecret = 'pi_1_secret_x'
  })
  const finished = ['pi-statechange finished', 'pi-finish']
  await expect
    .poll(() => eventsOf(page))
    .toEqual([...ready, ...finished, 'pi-statechange idle', ...ready, ...finished])
})

test('a frame that navigates to a dead page is replaced', async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const { html } = fakeHostedPage()
  let alive = true
  const page = await sites.openShop({
    hosted: () => (alive ? { body: html } : undefined),
    prepare: installClock,
  })
  await expectEvent(page, 'pi-ready')
  alive = false
  const lost = page.waitForEvent('requestfailed')
  await press(page, 'reload')
  await lost
  alive = true
  await expect
    .poll(() => eventsAfterTimers(page), { timeout: 15_000 })
    .toEqual([...ready, ...ready])
})

test('two elements with two intents never hear each other', async () => {
  const hosted: Responder = (path) => ({
    body: fakeHostedPage({ steps: path.endsWith('pi_1') ? ['ready', 'finish'] : ['ready'] }).html,
  })
  const page = await sites.openShop({
    body: '<pi-checkout id="pay"></pi-checkout><pi-checkout id="other"></pi-checkout>',
    script: `${mountImmediately}
      window.finished = []
      document.addEventListener('pi-finish', ({ intentId, target }) => finished.push([intentId, target.id]))
      Object.assign(other, { intentId: 'pi_2', clientSecret: 'pi_2_secret_y' })`,
    hosted,
  })
  await expectState(page, 'finished')
  await expectState(page, 'ready', 'other')
  expect(await page.evaluate(() => Reflect.get(window, 'finished'))).toEqual([['pi_1', 'pay']])
  await press(page, 'fail-unauthorized', '#other iframe')
  await expectState(page, 'error', 'other')
  await expectState(page, 'finished')
})
