/**
 * Time from the two values to a usable form, and the same for a bare iframe with the same page.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fakeHostedPage } from '@pi-checkout/element/testing'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type { Browser } from '@playwright/test'
import { mountRow } from '../rows.ts'
import { type Measured, median, type Round, rounded, rowOf } from '../statistics.ts'

const mounts = 20
const script = new URL('../../element/dist/pi-checkout.js', import.meta.url)

// The bare iframe does the same handshake with the same page in the shortest script.
const page = (file: string, origin: string): string => `<!doctype html>
<html lang="en"><title>Shop</title><body><script type="module">
  await import('${origin}/${file}')
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
    Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
    document.body.append(pay)
  })
  const bare = () => new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.style = 'width: 100%; height: 600px; border: 0'
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
export async function measureMounts(rounds: number): Promise<Measured> {
  const browser = await launchBrowser()
  try {
    const measured = await compare(browser, rounds)
    const ms = (name: keyof Round): number => rounded(median(measured.map((one) => one[name])))
    const figures = [
      { what: 'mount to pi-ready', ms: ms('ours') },
      { what: 'a bare iframe', ms: ms('baseline') },
    ]
    return { rows: [rowOf(mountRow, measured)], figures }
  } finally {
    await browser.close()
  }
}

async function compare(browser: Browser, rounds: number): Promise<Round[]> {
  const servers = await serve()
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(servers.shop)
  await tab.waitForFunction('window.measureRound')
  await tab.evaluate('measureRound(3)')
  const measured: Round[] = []
  for (let i = 0; i < rounds; i++) {
    const times: { element: number[]; bare: number[] } = await tab.evaluate(
      `measureRound(${mounts})`,
    )
    measured.push({ ours: median(times.element), baseline: median(times.bare) })
  }
  servers.close()
  return measured
}

async function serve(): Promise<{ readonly shop: string; readonly close: () => void }> {
  const code = readFileSync(script)
  const { html } = fakeHostedPage()
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
  const pay = createServer((request, response) => {
    const isScript = request.url === '/pi-checkout.js'
    const type = isScript ? 'text/javascript' : 'text/html'
    response.writeHead(200, { ...headers, 'content-type': type }).end(isScript ? code : html)
  })
  const checkout = await listen(pay, 'pay.localhost')
  const shop = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page('pi-checkout.js', checkout))
  })
  return {
    shop: await listen(shop, 'shop.localhost'),
    close: () => {
      for (const server of [pay, shop]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

async function listen(server: ReturnType<typeof createServer>, host: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}
