/** `@pi-checkout/element` from the two values to a usable form, next to a bare iframe with the same page. @module */
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { fakeHostedPage } from '@pi-checkout/element/testing'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { startSite } from '@pi-checkout/test-support/sites'
import { chromium } from '@playwright/test'
import { compare, inTurns, type Row } from './rows.ts'

const script = new URL('../../packages/element/dist/pi-checkout.js', import.meta.url)

// The bare iframe does the same handshake with the same page in the shortest script.
const page = (origin: string): string => `<!doctype html>
<html lang="en"><title>Shop</title><body><script type="module">
  await import('${origin}/pi-checkout.js')
  const element = () => new Promise((resolve) => {
    const pay = document.createElement('pi-checkout')
    pay.addEventListener('pi-ready', () => resolve(() => pay.remove()))
    pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
    document.body.append(pay)
  })
  const bare = () => new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.style = 'width: 100%; height: 532px; border: 0'
    frame.src = '${origin}/checkout/pi_1'
    const greet = ({ source, data }) => {
      if (source !== frame.contentWindow || data.t !== 'hello') return
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data: { t } }) => {
        if (t === 'ack') {
          port1.postMessage({ t: 'config', locale: 'en' })
          port1.postMessage({ t: 'auth', id: 'pi_1', secret: 'pi_1_secret_x' })
        }
        if (t === 'ready') resolve(() => { removeEventListener('message', greet); frame.remove() })
      }
      source.postMessage({ pi: 'checkout', t: 'init', v: 1, doc: data.doc }, '${origin}', [port2])
    }
    addEventListener('message', greet)
    document.body.append(frame)
  })
  window.timeOf = async (name) => {
    const startedAt = performance.now()
    const remove = await (name === 'bare' ? bare : element)()
    const time = performance.now() - startedAt
    remove()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return time
  }
</script></body></html>`

export async function measure(): Promise<readonly Row[]> {
  const { html } = fakeHostedPage()
  const code = readFileSync(script)
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
  const respond: RequestListener = ({ url }, response) => {
    const isScript = url === '/pi-checkout.js'
    const type = isScript ? 'text/javascript' : 'text/html'
    response.writeHead(200, { ...headers, 'content-type': type }).end(isScript ? code : html)
  }
  const checkout = await startSite(respond, { name: 'pay.localhost' })
  const show: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(checkout.origin))
  }
  const shop = await startSite(show, { name: 'shop.localhost' })
  // A private window of a full Chromium denies the frame the storage in which the fake keeps its payment.
  const browser = await chromium.launch(await installedChromium())
  const tab = await browser.newPage()
  await tab.goto(shop.origin)
  await tab.waitForFunction('window.timeOf')
  const times = await inTurns(100, {
    element: () => tab.evaluate<number>('timeOf("element")'),
    bare: () => tab.evaluate<number>('timeOf("bare")'),
  })
  await Promise.all([browser.close(), shop.close(), checkout.close()])
  const against = { against: 'a bare iframe', baseline: times.bare, target: '≤ 1.1' } as const
  return [compare('time from mount to pi-ready', times.element, against)]
}
