/** Time from the two values to a usable form, and the same for a bare iframe with the same page. @module */
import { readFileSync } from 'node:fs'
import { fakeHostedPage } from '@pi-checkout/element/testing'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { startSite } from '@pi-checkout/test-support/sites'
import { chromium } from '@playwright/test'
import { median, type Samples, type Size } from '../samples.ts'

const mounts = 20
const script = new URL('../../../packages/element/dist/pi-checkout.js', import.meta.url)

// The bare iframe does the same handshake with the same page in the shortest script.
const page = (origin: string): string => `<!doctype html>
<html lang="en"><title>Shop</title><body><script type="module">
  await import('${origin}/pi-checkout.js')
  const next = () => new Promise((resolve) => setTimeout(resolve, 20))
  const measure = async (mount) => {
    const start = performance.now()
    const remove = await mount()
    const took = performance.now() - start
    remove()
    await next()
    return took
  }
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
  window.measureRound = async (count) => {
    const times = { element: [], bare: [] }
    for (let i = 0; i < count; i++) {
      // Alternates which one goes first.
      const order = i % 2 ? ['bare', 'element'] : ['element', 'bare']
      for (const name of order) {
        times[name].push(await measure(name === 'bare' ? bare : element))
      }
    }
    return times
  }
</script></body></html>`

/** Mounts the element and a bare iframe in turns. */
export async function measure(samples: Samples, size: Size): Promise<void> {
  const code = readFileSync(script)
  const { html } = fakeHostedPage()
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
  const checkout = await startSite(
    (request, response) => {
      const isScript = request.url === '/pi-checkout.js'
      const type = isScript ? 'text/javascript' : 'text/html'
      response.writeHead(200, { ...headers, 'content-type': type }).end(isScript ? code : html)
    },
    { name: 'pay.localhost' },
  )
  const shop = await startSite(
    (_, response) => {
      const type = { 'content-type': 'text/html' }
      response.writeHead(200, type).end(page(checkout.origin))
    },
    { name: 'shop.localhost' },
  )
  const browser = await chromium.launch(await installedChromium({ full: true }))
  const tab = await browser.newPage()
  await tab.goto(shop.origin)
  await tab.waitForFunction('window.measureRound')
  await samples.inTurns(size(5, 1), [
    async (record) => {
      const times: { element: number[]; bare: number[] } = await tab.evaluate(
        `measureRound(${mounts})`,
      )
      record('mount to pi-ready', { ms: median(times.element) })
      record('a bare iframe', { ms: median(times.bare) })
    },
  ])
  await browser.close()
  await shop.close()
  await checkout.close()
}
