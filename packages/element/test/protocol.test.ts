import { expect, test } from 'vitest'
import {
  eventsAfterTimers,
  eventsOf,
  expectEvent,
  expectState,
  installClock,
  mountImmediately,
  prepareTestSites,
  type SiteResponse,
} from './browser/test-sites.ts'

const sites = prepareTestSites()

/** A hosted page of the test's own: `script` may use `hello(fields)` and gets each `init` as `init(event)`. */
function hostedPage(script: string): () => SiteResponse {
  return () => ({
    body: `<!doctype html><title>Hosted</title><script>
      const doc = 'A'.repeat(32)
      const heard = []
      const hello = (fields) => parent.postMessage({ pi: 'checkout', t: 'hello', v: [1], doc, ...fields }, '*')
      let init = () => {}
      addEventListener('message', (event) => { if (event.data?.t === 'init') init(event) })
      ${script}
    </script>`,
  })
}

test('a frame that is redirected to another origin after hello receives neither port nor secret (threat 47)', async () => {
  sites.attacker = hostedPage(`
    addEventListener('message', (event) => { document.title = 'heard ' + event.ports.length })
    hello()`)
  const page = await sites.openShop({
    hosted: hostedPage(`hello(); location.href = ${JSON.stringify(sites.attackerOrigin)}`),
  })
  const frame = page.frames()[1]
  await page.waitForFunction(() =>
    document.querySelector('pi-checkout')?.shadowRoot?.querySelector('iframe'),
  )
  await expect.poll(() => frame?.url(), { timeout: 5000 }).toBe(`${sites.attackerOrigin}/`)
  await page.waitForTimeout(500)
  expect(await frame?.title()).toBe('Hosted')
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
})

test('a hello without a common version says protocol_mismatch', async () => {
  const page = await sites.openShop({ hosted: { versions: [2, 3] } })
  await expectEvent(page, 'pi-error protocol_mismatch')
  expect(await page.locator('iframe').count()).toBe(0)
})

test('a hello with newer versions beside ours is answered with ours', async () => {
  const page = await sites.openShop({ hosted: { versions: [3, 2, 1] } })
  await expectEvent(page, 'pi-ready')
})

test('the sixth hello in ten seconds ends the session (threat 49)', async () => {
  const page = await sites.openShop({ hosted: hostedPage('for (let i = 0; i < 6; i++) hello()') })
  await expectEvent(page, 'pi-error connection_lost')
})

test('the secret crosses only after ack, once per port, and an older port is closed', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      const ports = []
      init = ({ ports: [port], data }) => {
        const index = ports.push(port) - 1
        port.onmessage = ({ data }) => {
          heard.push([index, data.t, data.secret ?? data.locale])
          document.title = JSON.stringify(heard)
        }
        if (index === 0) { port.postMessage({ t: 'ready' }); setTimeout(hello, 300) }
        else {
          ports[0].postMessage({ t: 'ack' })
          ports[0].postMessage({ t: 'fail', code: 'unauthorized' })
          for (const t of ['ack', 'ack', 'ready']) port.postMessage({ t })
        }
      }
      hello()`),
  })
  await expectEvent(page, 'pi-ready')
  await page.waitForTimeout(300)
  expect(JSON.parse((await page.frames()[1]?.title()) ?? '')).toEqual([
    [1, 'config', 'en'],
    [1, 'auth', 'pi_1_secret_x'],
  ])
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange ready',
    'pi-ready',
  ])
})

test('a page that asks again gets the pair again on its port, and stays ready', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      const ports = []
      init = ({ ports: [port] }) => {
        const index = ports.push(port) - 1
        port.onmessage = ({ data }) => {
          if (data.t !== 'auth') return
          heard.push([index, data.id, data.secret])
          document.title = JSON.stringify(heard)
          if (heard.length === 1) {
            port.postMessage({ t: 'ready' })
            for (const t of ['renew', 'renew']) port.postMessage({ t })
          }
        }
        port.postMessage({ t: 'renew' })
        port.postMessage({ t: 'ack' })
      }
      hello()`),
  })
  await expectEvent(page, 'pi-ready')
  const auth = [0, 'pi_1', 'pi_1_secret_x']
  await expect
    .poll(async () => JSON.parse((await page.frames()[1]?.title()) ?? ''))
    .toEqual([auth, auth, auth])
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange ready',
    'pi-ready',
  ])
})

test.each([
  ['origin_not_allowed', 'origin_not_allowed'],
  ['unauthorized', 'unauthorized'],
])('fail %s from the page ends in %s without a retry button', async (code, expected) => {
  const page = await sites.openShop({ hosted: { steps: [{ fail: code }] } })
  await expectEvent(page, `pi-error ${expected}`)
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await page.getByRole('button').count()).toBe(0)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

test('an unknown fail code reads internal, after one silent retry, and can be tried again', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ fail: 'paid in full' }] },
    prepare: installClock,
  })
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error internal')
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_1'])
  sites.hosted({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectEvent(page, 'pi-ready')
})

test('no event carries a status, amount, method, URL or token', async () => {
  const page = await sites.openShop({
    hosted: hostedPage(`
      const more = { status: 'succeeded', amount: 100, url: 'x', token: 'y', method: 'card', on: true }
      init = ({ ports: [port] }) => {
        for (const t of ['ack', 'ready', 'busy', 'leave', 'finish', 'cancel']) port.postMessage({ t, ...more })
      }
      hello()`),
    prepare: (opened) =>
      opened.addInitScript(() => {
        const fields: unknown[] = []
        Object.assign(window, { fields })
        for (const type of ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']) {
          document.addEventListener(`pi-${type}`, (event) => {
            const { isTrusted: _, ...own } = event as Event & Record<string, unknown>
            fields.push([event.type, own])
          })
        }
      }),
  })
  await expectEvent(page, 'pi-finish')
  expect(await page.evaluate(() => Reflect.get(window, 'fields'))).toEqual([
    ['pi-statechange', { state: 'loading', previous: 'idle' }],
    ['pi-statechange', { state: 'ready', previous: 'loading' }],
    ['pi-ready', {}],
    ['pi-statechange', { state: 'busy', previous: 'ready' }],
    ['pi-leave', {}],
    ['pi-statechange', { state: 'finished', previous: 'busy' }],
    ['pi-finish', { intentId: 'pi_1' }],
  ])
})

test('is busy from Pay until the outcome, and emits pi-cancel once', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy', 'idle', 'cancel', 'finish'] },
  })
  await expectEvent(page, 'pi-cancel')
  await expectState(page, 'finished')
  expect((await eventsOf(page)).slice(3)).toEqual([
    'pi-statechange busy',
    'pi-statechange ready',
    'pi-statechange finished',
    'pi-cancel',
  ])
})

test('sends a changed locale to the page without a new session', async () => {
  const page = await sites.openShop({ script: `${mountImmediately}; pay.locale = 'hy-AM'` })
  await expectEvent(page, 'pi-ready')
  const locale = page.frameLocator('iframe').getByTestId('locale')
  expect(await locale.textContent()).toBe('hy-AM')
  await page.evaluate(() => {
    Object.assign(document.getElementById('pay') ?? {}, { locale: 'ru', label: 'Оплата' })
  })
  await expect.poll(() => locale.textContent()).toBe('ru')
  expect(await page.locator('iframe').getAttribute('title')).toBe('Оплата')
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})
