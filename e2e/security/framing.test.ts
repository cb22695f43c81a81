import { openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hostile-world.ts'

test('no page but the registered shop gets a form, data or an ack out of the checkout in a frame (threat 56)', async ({
  page,
  context,
  world,
  noise,
}) => {
  noise.allow(/./)
  const { id } = await openCheckout(page)
  const { evil, checkoutOrigin, shopUrl } = world
  const { port } = new URL(shopUrl)
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
  for (const [path, html] of Object.entries(pages)) evil.serve(path, html)
  const attempts = Object.keys(pages).map((path) => `${evil.origin}${path}`)
  // A sub-domain of the registered shop, and the shop's name on another port.
  attempts.push(`http://evil.shop.localhost:${evil.port}/known`)
  attempts.push(`http://shop.localhost:${evil.port}/known`)
  expect(port).not.toBe(String(evil.port))

  const attack = async (address: string): Promise<void> => {
    const attacker = await context.newPage()
    const lines: string[] = []
    attacker.on('console', (line) => lines.push(line.text()))
    await attacker.goto(address)
    const heard = () => attacker.evaluate(() => Reflect.get(window, 'heard') as unknown[])
    // The page refuses the one around it, or the browser refuses the page, or its scripts.
    const isRefused = async (): Promise<boolean> =>
      attacker.frames()[1]?.url().startsWith('chrome-error:') ||
      lines.some((line) => /blocked by CORS policy/.test(line)) ||
      JSON.stringify(await heard()).includes('"fail"')
    await expect.poll(isRefused, { message: address }).toBe(true)
    const seen = await heard()
    const acks = seen.filter((message) => JSON.stringify(message).includes('"ack"'))
    expect(acks, address).toEqual([])
    expect(JSON.stringify(seen), address).not.toMatch(/ready|finish|size/)
    for (const frame of attacker.frames().slice(1)) {
      const content = await frame
        .evaluate(() => ({
          fields: document.querySelectorAll('form, input, button').length,
          text: document.body.textContent ?? '',
        }))
        .catch(() => ({ fields: 0, text: '' }))
      expect(content.fields, address).toBe(0)
      expect(content.text, address).not.toMatch(/\d[\d,.]*\s*֏|֏\s*\d/)
    }
    await attacker.close()
  }
  await Promise.all(attempts.map(attack))
})

test('a page that opens the checkout in a window of its own finds no form there (threat 56)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  const { id } = await openCheckout(page)
  const alone = await page.context().newPage()
  await alone.goto(`${world.checkoutOrigin}/checkout/${id}`)
  await expect(alone.locator('.apart')).toBeVisible()
  await expect(alone.locator('input')).toHaveCount(0)
})

/** A page that frames an address, hears everything, and answers each hello as the element would. */
function framing(address: string, attributes = ''): string {
  return `<script>
      window.heard = []
      addEventListener('message', ({ data, source }) => {
        heard.push(data)
        if (data?.t !== 'hello') return
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => {
          heard.push(data)
          if (data?.t === 'ack') port1.postMessage({ t: 'auth', id: 'x', secret: 'y' })
        }
        source.postMessage({ pi: 'checkout', t: 'init', v: 1, doc: data.doc }, '*', [port2])
      })
    </script>
    <iframe src="${address}" ${attributes} width="400" height="700"></iframe>`
}
