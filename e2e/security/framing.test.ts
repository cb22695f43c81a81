import { openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('gives form, data, and ack to a frame in the registered shop only', {
  tag: '@firefox',
}, async ({ page, context, stack, pageErrors }) => {
  pageErrors.allow(/./)
  const { id } = await openCheckout(page)
  const { attacker, checkoutOrigin, shopUrl } = stack
  const known = `${checkoutOrigin}/checkout/${id}`
  const unknown = `${checkoutOrigin}/checkout/pi_${'0'.repeat(24)}`
  const pages: Record<string, string> = {
    '/known': framing(known),
    '/without-referrer': framing(known, 'referrerpolicy="no-referrer"'),
    '/unknown': framing(unknown),
    '/unknown-without-referrer': framing(unknown, 'referrerpolicy="no-referrer"'),
    '/sandboxed': framing(known, 'sandbox="allow-scripts"'),
    '/shop-between': framing(`${shopUrl}/pay/x`),
  }
  attacker.respond = ({ path }) => pages[path]
  const attempts = Object.keys(pages).map((path) => `${attacker.origin}${path}`)
  // A subdomain of the registered shop, and the shop's name on another port.
  attempts.push(`http://evil.shop.localhost:${attacker.port}/known`)
  attempts.push(`http://shop.localhost:${attacker.port}/known`)

  const attack = async (address: string): Promise<void> => {
    const tab = await context.newPage()
    await tab.goto(address)
    // A page that the browser shows says hello before its load event; otherwise the browser blocked it or its scripts.
    const outcome = () =>
      tab.evaluate(() => {
        const { received, loaded } = window as unknown as Framing
        const has = (type: string) => received.some(({ t }) => t === type)
        return loaded && (has('fail') || !has('hello'))
      })
    await expect.poll(outcome, { message: address }).toBe(true)
    const messages = await tab.evaluate(() => (window as unknown as Framing).received)
    const acks = messages.filter((message) => JSON.stringify(message).includes('"ack"'))
    expect(acks, address).toEqual([])
    expect(JSON.stringify(messages), address).not.toMatch(/ready|finish|size/)
    for (const frame of tab.frames().slice(1)) {
      const content = await frame
        .evaluate(() => ({
          fields: document.querySelectorAll('form, input, button').length,
          text: document.body.textContent ?? '',
        }))
        .catch(() => ({ fields: 0, text: '' }))
      expect(content.fields, address).toBe(0)
      expect(content.text, address).not.toMatch(/\d[\d,.]*\s*֏|֏\s*\d/)
    }
    await tab.close()
  }
  await Promise.all(attempts.map(attack))
})

interface Framing {
  readonly received: readonly { readonly t?: string }[]
  readonly loaded?: true
}

/** A page that frames an address, records all messages, and responds to each hello as the element does. */
function framing(address: string, attributes = ''): string {
  return `<script>
      window.received = []
      addEventListener('message', ({ data, source }) => {
        received.push(data ?? {})
        if (data?.t !== 'hello') return
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => {
          received.push(data)
          if (data?.t === 'ack') port1.postMessage({ t: 'auth', id: 'x', secret: 'y' })
        }
        source.postMessage({ pi: 'checkout', t: 'init', v: 1, doc: data.doc }, '*', [port2])
      })
    </script>
    <iframe src="${address}" ${attributes} onload="window.loaded = true" width="400" height="700"></iframe>`
}
