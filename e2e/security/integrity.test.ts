import { createHash } from 'node:crypto'
import { expect, test } from '../fixtures/hostile-world.ts'

test('the file with one flipped byte is not run by a page that names its checksum (threat 52)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/integrity|pi-checkout|status of 404/)
  const answer = await fetch(`${world.api.baseUrl}/pi-checkout.js`)
  const file = Buffer.from(await answer.arrayBuffer())
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
    world.evil.clear()
    world.evil.serve('/pi-checkout.js', () => ({
      headers: { 'content-type': 'text/javascript' },
      body: content.toString('utf8'),
    }))
    world.evil.serve(
      '/',
      `<script type="module" src="/pi-checkout.js" integrity="sha384-${checksum}" onload="document.title = 'loaded'" onerror="document.title = 'refused'"></script>`,
    )
    await page.goto(world.evil.origin)
    await expect(page, name).toHaveTitle(runs ? 'loaded' : 'refused')
    const defined = await page.evaluate(() => customElements.get('pi-checkout') !== undefined)
    expect(defined, name).toBe(runs)
  }
})
