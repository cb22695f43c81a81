import type { Page } from '@playwright/test'
import { create, createIntent } from '../fixtures/api.ts'
import { type Handoff, hostedPage, payButton } from '../fixtures/buyer.ts'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'

const payloads = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '</script><script>alert(1)',
  "';alert(1)//",
  '{{alert(1)}}$\u007balert(1)}',
  '<iframe srcdoc=alert(1)>',
  'javascript:alert(1)',
  '&lt;img src=x&gt;',
]

test('markup in an order’s name stays text on the hosted page (threat 65)', async ({
  page,
  world,
}) => {
  page.on('dialog', () => expect('a dialog').toBe('never opened'))
  for (const [index, orderId] of payloads.entries()) {
    const pair = await createIntent(world, { orderId, metadata: { note: orderId } })
    await openPair(page, world, { pair, index })
    const order = hostedPage(page).getByTestId('order')
    await expect(order).toContainText(orderId)
    await expect(order.locator('bdi')).toHaveCount(1)
    expect(await order.locator('bdi').evaluate((node) => node.children.length)).toBe(0)
  }
})

for (const [name, character] of [
  ['a right-to-left override', '\u202e'],
  ['a bidi isolate', '\u2067'],
  ['a line separator', '\u2028'],
  ['a NUL', '\0'],
  ['a line feed', '\n'],
] as const) {
  test(`${name} in an order’s name is refused before it is stored (threat 65)`, async ({
    world,
  }) => {
    const answer = await create(world, { orderId: `A${character}B` })
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain(character === '\n' ? 'A\nB' : character)
  })
}

/** Mounts a pair in the shop's own page, as its script would. */
async function openPair(
  page: Page,
  world: HostileWorld,
  { pair, index }: { readonly pair: Handoff; readonly index: number },
): Promise<void> {
  if (index === 0) {
    await page.goto('/')
    await page.getByTestId('add-to-cart').first().click()
    await expect(page.getByTestId('cart-count')).toHaveText('1')
    await page.goto('/cart')
    await page.getByTestId('place-order').click()
    await expect(payButton(page)).toBeEnabled()
  }
  await page.locator('pi-checkout').evaluate((element, values) => {
    Object.assign(element, { intentId: values.id, clientSecret: values.clientSecret })
  }, pair)
  await expect(page.locator('pi-checkout iframe')).toHaveAttribute(
    'src',
    `${world.checkoutOrigin}/checkout/${pair.id}`,
  )
}
