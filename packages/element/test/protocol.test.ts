import { expect, test } from 'vitest'
import type { FakeHostedPageOptions } from '../src/testing/index.ts'
import {
  eventsAfterTick,
  eventsOf,
  installClock,
  mountDirectly,
  type Responder,
  readyEvents,
  type SiteResponse,
  setValues,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()

/** A hosted page of this file: `script` may call `hello(fields)`, and receives each `init` as `init(event)`. */
function hostedPage(script: string): () => SiteResponse {
  return () => ({
    body: `<!doctype html><title>Hosted</title><script>
      const doc = 'A'.repeat(32)
      const received = []
      const hello = (fields) => parent.postMessage({ pi: 'checkout', t: 'hello', v: [1], doc, ...fields }, '*')
      let init = () => {}
      addEventListener('message', (event) => { if (event.data?.t === 'init') init(event) })
      ${script}
    </script>`,
  })
}

test('sends no port or secret to a frame that was redirected to another origin (threat 47)', async () => {
  sites.respondAsAttacker = hostedPage(`
    addEventListener('message', (event) => { document.title = 'received ' + event.ports.length })
    hello()`)
  const page = await sites.openShop({
    hosted: hostedPage(`hello(); location.href = ${JSON.stringify(sites.attacker)}`),
  })
  const frame = page.frames()[1]
  await page.waitForFunction("pay.shadowRoot?.querySelector('iframe')")
  await expect.poll(() => frame?.url(), { timeout: 5000 }).toBe(`${sites.attacker}/`)
  await page.waitForTimeout(500)
  expect(await frame?.title()).toBe('Hosted')
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
})

test('connects to a page that speaks newer versions too', async () => {
  const page = await sites.openShop({ hosted: { versions: [3, 2, 1] } })
  await waitForEvent(page, 'pi-ready')
})

test('sends the secret after ack, once per port, and closes an older port', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      const ports = []
      init = ({ ports: [port], data }) => {
        const index = ports.push(port) - 1
        port.onmessage = ({ data }) => received.push([index, data.t, data.secret ?? data.locale])
        if (index === 0) { port.postMessage({ t: 'ready' }); setTimeout(hello, 300) }
        else {
          ports[0].postMessage({ t: 'ack' })
          ports[0].postMessage({ t: 'fail', code: 'unauthorized' })
          for (const t of ['ack', 'ack', 'ready']) port.postMessage({ t })
        }
      }
      hello()`),
  })
  await waitForEvent(page, 'pi-ready')
  await page.waitForTimeout(300)
  expect(await page.frames()[1]?.evaluate('received')).toEqual([
    [1, 'config', 'en'],
    [1, 'auth', 'pi_1_secret_x'],
  ])
  expect(await eventsOf(page)).toEqual(readyEvents)
})

test('sends id and secret again to a page that asks to renew, and stays ready', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      init = ({ ports: [port] }) => {
        port.onmessage = ({ data }) => {
          if (data.t !== 'auth') return
          received.push([data.id, data.secret])
          if (received.length > 1) return
          port.postMessage({ t: 'ready' })
          for (const t of ['renew', 'renew']) port.postMessage({ t })
        }
        port.postMessage({ t: 'renew' })
        port.postMessage({ t: 'ack' })
      }
      hello()`),
  })
  await waitForEvent(page, 'pi-ready')
  const auth = ['pi_1', 'pi_1_secret_x']
  await expect.poll(() => page.frames()[1]?.evaluate('received')).toEqual([auth, auth, auth])
  expect(await eventsOf(page)).toEqual(readyEvents)
})

test.each<[string, number, FakeHostedPageOptions | Responder]>([
  ['origin_not_allowed', 0, { steps: [{ fail: 'origin_not_allowed' }] }],
  ['unauthorized', 0, { steps: [{ fail: 'unauthorized' }] }],
  // No common version.
  ['protocol_mismatch', 0, { versions: [2, 3] }],
  // Six times hello in ten seconds (threat 49).
  ['connection_lost', 1, hostedPage('for (let i = 0; i < 6; i++) hello()')],
])('removes the frame after %s, with %i retry buttons', async (code, buttons, hosted) => {
  const page = await sites.openShop({ hosted, prepare: installClock })
  await expect.poll(() => eventsAfterTick(page)).toContain(`pi-error ${code}`)
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await page.getByRole('button').count()).toBe(buttons)
  expect(sites.requests).toEqual(Array(buttons + 1).fill('/checkout/pi_1'))
})

test('reports an unknown failure as internal after one silent retry, with a retry button', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ fail: 'paid in full' }] },
    prepare: installClock,
  })
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error internal')
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_1'])
  sites.serveCheckout({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForEvent(page, 'pi-ready')
})

test('no event has a status, amount, method, URL, or token', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      const more = { status: 'succeeded', amount: 100, url: 'x', token: 'y', method: 'card', on: true }
      init = ({ ports: [port] }) => {
        for (const t of ['ack', 'ready', 'busy', 'leave', 'finish', 'cancel']) port.postMessage({ t, ...more })
      }
      hello()`),
    prepare: (opened) =>
      opened.addInitScript(`
        window.fields = []
        for (const type of ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']) {
          document.addEventListener('pi-' + type, (event) => {
            const { isTrusted, ...own } = event
            fields.push([event.type, own])
          })
        }`),
  })
  await waitForEvent(page, 'pi-finish')
  expect(await page.evaluate('fields')).toEqual([
    ['pi-statechange', { state: 'loading', previous: 'idle' }],
    ['pi-statechange', { state: 'ready', previous: 'loading' }],
    ['pi-ready', {}],
    ['pi-statechange', { state: 'busy', previous: 'ready' }],
    ['pi-leave', {}],
    ['pi-statechange', { state: 'finished', previous: 'busy' }],
    ['pi-finish', { intentId: 'pi_1' }],
  ])
})

test('is busy from Pay to the result, and reports cancel once', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy', 'idle', 'cancel', 'finish'] },
  })
  await waitForEvent(page, 'pi-cancel')
  await waitForState(page, 'finished')
  expect((await eventsOf(page)).slice(3)).toEqual([
    'pi-statechange busy',
    'pi-statechange ready',
    'pi-statechange finished',
    'pi-cancel',
  ])
})

test('sends a changed locale to the page without a new session', async () => {
  const page = await sites.openShop({ script: `${mountDirectly}; pay.locale = 'hy-AM'` })
  await waitForEvent(page, 'pi-ready')
  expect(await textInFrame(page, 'locale')).toBe('hy-AM')
  await setValues(page, { locale: 'ru', label: 'Оплата' })
  await expect.poll(() => textInFrame(page, 'locale')).toBe('ru')
  expect(await page.locator('iframe').getAttribute('title')).toBe('Оплата')
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

const accent = (color: string): string => `{"accent":"${color}"}`

test.each([
  [
    'another bundled copy',
    "import '/react.js'; import { configureCheckout } from '/shop.js'",
    'checkoutOrigin: PAY,',
  ],
  [
    "the checkout's own file",
    "const { configureCheckout } = await import(PAY + '/v1/pi-checkout.js')",
    '',
  ],
])('sends the appearance of %s, then of the property, in one session', async (_, load, origin) => {
  const page = await sites.openShop({
    script: `${load}
      configureCheckout({ ${origin} appearance: { accent: '#ad4318' } })
      pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
      window.setAccent = (accent) => {
        // A framework's proxy, which a port does not accept.
        pay.appearance = accent && new Proxy({ accent }, {})
      }`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await textInFrame(page, 'appearance')).toBe(accent('#ad4318'))
  await page.evaluate("setAccent('#123456')")
  await expect.poll(() => textInFrame(page, 'appearance')).toBe(accent('#123456'))
  await page.evaluate('setAccent(null)')
  await expect.poll(() => textInFrame(page, 'appearance')).toBe(accent('#ad4318'))
  expect(sites.requests.filter((path) => path.startsWith('/checkout/'))).toHaveLength(1)
})
