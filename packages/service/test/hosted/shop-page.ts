/** A small shop on a separate site. Its page implements the element's side of the frame protocol. @module */
import { startSite } from '@pi-checkout/test-support/sites'
import type { RunningCheckout } from '../support/checkout.ts'
import { atEnd } from '../support/lifetime.ts'

export interface Shop {
  readonly origin: string
}

/** Serves `/pay` with `id` and `secret` in the query, which a real shop must not do. */
export async function startShop(checkout: RunningCheckout, host = 'shop.localhost'): Promise<Shop> {
  const { origin, serve, close } = await startSite(undefined, { name: host })
  serve((request, response) => {
    const url = new URL(request.url ?? '/', origin)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('cache-control', 'no-store')
    if (url.pathname !== '/pay') return void response.end('<!doctype html><title>Shop</title>')
    response.end(page(checkout.url))
  })
  atEnd(close)
  return { origin }
}

function page(checkoutOrigin: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
<style>
  body { margin: 0; font-family: sans-serif }
  iframe { display: block; border: 0; width: 100%; height: 532px }
</style>
<body>
<script type="module">
  const query = new URL(location.href).searchParams
  const checkout = ${JSON.stringify(checkoutOrigin)}
  document.documentElement.style.colorScheme = query.get('scheme')
  document.body.style.background = query.get('scheme') === 'dark' ? '#0c0d10' : '#fff'
  const messages = (window.messages = [])
  const frame = document.createElement('iframe')
  frame.title = 'Secure payment form'
  frame.referrerPolicy = 'strict-origin'
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms allow-top-navigation')
  let port
  window.send = (message) => port.postMessage(message)
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== checkout || data.t !== 'hello') return
    messages.push('hello')
    port?.close()
    const channel = new MessageChannel()
    port = channel.port1
    port.onmessage = ({ data }) => {
      messages.push(data.t === 'busy' ? 'busy ' + data.on : data.t === 'fail' ? 'fail ' + data.code : data.t)
      if (data.t === 'size') frame.style.height = data.h + 'px'
      if (data.t === 'leave' && !query.has('stay')) {
        for (const end = Date.now() + Number(query.get('busy')); Date.now() < end; );
        port.postMessage({ t: 'left', page: location.href })
      }
      if (data.t === 'ack') {
        const [locale, appearance] = ['locale', 'appearance'].map((name) => query.get(name))
        port.postMessage({ t: 'config', locale, appearance })
      }
      if (data.t !== 'ack' && data.t !== 'renew') return
      port.postMessage({ t: 'auth', id: query.get('id'), secret: query.get('secret') })
    }
    window.answer = () =>
      frame.contentWindow.postMessage({ pi: 'checkout', t: 'init', v: 1, doc: data.doc }, checkout, [channel.port2])
    if (!query.has('mute')) window.answer()
  })
  frame.src = checkout + '/checkout/' + (query.get('at') ?? query.get('id'))
  document.body.append(frame)
</script>`
}
