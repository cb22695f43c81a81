import { seed } from '@pi-checkout/test-support/generated'
import type { CDPSession, Frame, Page } from '@playwright/test'
import fc from 'fast-check'
import { createIntent } from '../fixtures/api.ts'
import { startAttackerSite } from '../fixtures/attacker-site.ts'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'
import { cases, reportFuzz } from '../fixtures/fuzz.ts'
import { jsonNear } from './inputs.ts'

test.setTimeout(60_000 + cases * 30)

test('the hosted page withstands every message of its parent (threats 46, 47, 48, 71)', async ({
  page,
  pageErrors,
  stack,
}) => {
  pageErrors.allow(/pi-checkout: appearance/)
  // A registered shop whose page an attacker controls.
  const shop = await startAttackerSite()
  await stack.administer('origins', 'add', shop.origin)
  const handoff = await createIntent(stack)
  shop.serve('/', () => ({ body: around(stack, handoff.id) }))
  const sessions: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/checkout-api/session')) sessions.push(request.url())
  })
  await page.goto(shop.origin)
  await page.waitForFunction('window.hello')
  const frame = await frameOf(page, stack)
  const heap = await heapOf(frame)
  const stall = await watchTasks(frame)
  const before = await heap()

  const half = Math.floor(cases / 2)
  // Everything except the message with this document's number, this version, and one port.
  const onWindow = fc.sample(windowMessage, { numRuns: half, seed })
  await call(page, 'flood', onWindow)
  expect(sessions, `PI_SEED=${seed}`).toEqual([])

  await call(page, 'authenticate', handoff)
  await expect(page.frameLocator('iframe').getByRole('button', { name: /^Pay / })).toBeVisible()
  const onPort = fc.sample(portMessage, { numRuns: cases - half, seed })
  await call(page, 'sendAll', onPort)
  await page.evaluate("port.postMessage({ t: 'config', locale: 'en' })")
  await expect(page.frameLocator('iframe').getByRole('button', { name: /^Pay / })).toBeVisible()
  expect(sessions).toHaveLength(1)
  reportFuzz('messages to the hosted page', {
    stall: await stall(),
    kept: (await heap()) - before,
  })
  await shop.stop()
})

/** A message, or text that is none, near to a valid one. */
function messageNear(right: object): fc.Arbitrary<unknown> {
  return jsonNear(right)
    .filter(({ length }) => length < 10_000)
    .map((text) => {
      try {
        return JSON.parse(text)
      } catch {
        return text
      }
    })
}

/** `OWN` stands for the document's number. */
const init = { pi: 'checkout', t: 'init', v: 1, doc: 'OWN' }

/** A message to the window with some ports, but not the right one with one port. */
const windowMessage = fc
  .record({ data: messageNear(init), ports: fc.nat(2) })
  .filter(
    ({ data, ports }) =>
      ports !== 1 || Object.entries(init).some(([name, value]) => Object(data)[name] !== value),
  )

const portMessage = fc.oneof(
  messageNear({ t: 'left', page: 'https://shop.example/' }),
  fc.record({
    t: fc.constant('config'),
    locale: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 64 }),
      fc.constantFrom('hy', 'ru-RU', 'en-u-nu-arab', 'x-private', 'de_DE', '*', 'x'.repeat(2100)),
    ),
    appearance: jsonNear({
      colorScheme: 'dark',
      accent: { light: '#c00', dark: 'red' },
      background: '#fff',
      text: 'url(//evil.example)',
      radius: 30,
      font: 'rounded',
    }),
  }),
  fc.record({
    t: fc.constant('auth'),
    // With another id the page reports an error.
    id: fc.constantFrom('OWN', 7, null),
    secret: fc.string({ maxLength: 40 }),
  }),
)

/** A shop's page that an attacker controls: it sends messages to the frame. */
function around({ checkoutOrigin }: CrossSiteStack, id: string): string {
  return `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Around</title>
    <iframe title="Pay" src="${checkoutOrigin}/checkout/${id}" width="600" height="900"></iframe>
    <script>
    const page = () => document.querySelector('iframe').contentWindow
    addEventListener('message', ({ data }) => { if (data?.t === 'hello') window.hello = data })
    const rest = () => new Promise((resolve) => setTimeout(resolve))
    async function flood(sent) {
      for (const [at, { data, ports }] of sent.entries()) {
        const own = data?.doc === 'OWN' ? { ...data, doc: hello.doc } : data
        const brought = Array.from({ length: ports }, () => new MessageChannel().port2)
        page().postMessage(own, '${checkoutOrigin}', brought)
        if (at % 500 === 0) await rest()
      }
    }
    async function authenticate({ id, clientSecret }) {
      const { port1, port2 } = new MessageChannel()
      window.port = port1
      const acknowledged = new Promise((resolve) => {
        port1.onmessage = ({ data }) => {
          if (data.t === 'ack') resolve()
          if (data.t === 'pong') window.pongs = (window.pongs ?? 0) + 1
        }
      })
      page().postMessage({ pi: 'checkout', t: 'init', v: 1, doc: hello.doc }, '${checkoutOrigin}', [port2])
      await acknowledged
      port1.postMessage({ t: 'config', locale: 'en' })
      port1.postMessage({ t: 'auth', id, secret: clientSecret })
    }
    // After each hundred messages, wait for the pong.
    async function sendAll(sent) {
      for (let at = 0; at < sent.length; at += 100) {
        for (const message of sent.slice(at, at + 100)) {
          port.postMessage(message?.id === 'OWN' ? { ...message, id: '${id}' } : message)
        }
        const seen = window.pongs ?? 0
        port.postMessage({ t: 'ping' })
        while ((window.pongs ?? 0) <= seen) await rest()
      }
    }
    </script></html>`
}

/** Calls a function of the page. A literal would lose fields named `__proto__`. */
async function call(page: Page, name: string, argument: unknown): Promise<void> {
  await page.evaluate(`${name}(JSON.parse(${JSON.stringify(JSON.stringify(argument))}))`)
}

async function frameOf(page: Page, { checkoutOrigin }: CrossSiteStack): Promise<Frame> {
  const isHosted = (frame: Frame): boolean => frame.url().startsWith(`${checkoutOrigin}/checkout/`)
  await expect.poll(() => page.frames().some(isHosted)).toBe(true)
  const frame = page.frames().find(isHosted)
  if (!frame) throw new Error('the hosted page has no frame')
  return frame
}

/**
 * Measures the longest task of the frame's process, in milliseconds: each message is one task. Tasks of
 * less than 50 ms count as 0 (Long Tasks API). A late timer would count all messages that wait before it.
 */
async function watchTasks(frame: Frame): Promise<() => Promise<number>> {
  const handle = await frame.evaluateHandle(() => {
    const watch = { longest: 0 }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        watch.longest = Math.max(watch.longest, duration)
      }
    }).observe({ type: 'longtask' })
    return watch
  })
  return async () => await handle.evaluate(({ longest }) => longest)
}

/** Measures the bytes that the frame's process uses after a garbage collection. */
async function heapOf(frame: Frame): Promise<() => Promise<number>> {
  const session: CDPSession = await frame.page().context().newCDPSession(frame)
  return async () => {
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
}
