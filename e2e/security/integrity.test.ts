import { createHash } from 'node:crypto'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('does not run a modified pi-checkout.js on a page with its checksum (threat 52)', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/integrity|pi-checkout|status of 404/)
  const response = await fetch(`${stack.api.baseUrl}/v1/pi-checkout.js`)
  const file = Buffer.from(await response.arrayBuffer())
  const checksum = createHash('sha384').update(file).digest('base64')
  const flipped = Buffer.from(file)
  // In the last comment or string: a byte that would still parse would run.
  flipped[file.length - 2] = (flipped[file.length - 2] ?? 0) ^ 1
  const longer = Buffer.concat([file, Buffer.from('\n')])
  for (const [name, content, runs] of [
    ['as it is', file, true],
    ['flipped', flipped, false],
    ['longer by a line', longer, false],
  ] as const) {
    stack.attacker.clear()
    stack.attacker.serve('/v1/pi-checkout.js', () => ({
      headers: { 'content-type': 'text/javascript' },
      body: content.toString('utf8'),
    }))
    stack.attacker.serve(
      '/',
      `<script type="module" src="/v1/pi-checkout.js" integrity="sha384-${checksum}" onload="document.title = 'loaded'" onerror="document.title = 'blocked'"></script>`,
    )
    await page.goto(stack.attacker.origin)
    await expect(page, name).toHaveTitle(runs ? 'loaded' : 'blocked')
    const defined = await page.evaluate(() => customElements.get('pi-checkout') !== undefined)
    expect(defined, name).toBe(runs)
  }
})
