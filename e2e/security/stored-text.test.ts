import type { Handoff } from '@pi-checkout/test-support/http-buyer'
import type { Page } from '@playwright/test'
import { create, createIntent } from '../fixtures/api.ts'
import { hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

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

test('shows markup in an order’s name as text on the hosted page (threat 65)', async ({
  page,
  stack,
}) => {
  page.on('dialog', () => expect('a dialog').toBe('never opened'))
  for (const [index, orderId] of payloads.entries()) {
    const handoff = await createIntent(stack, { orderId, metadata: { note: orderId } })
    await mountHandoff(page, stack, { handoff, index })
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
  test(`rejects ${name} in an order’s name (threat 65)`, async ({ stack }) => {
    const response = await create(stack, { orderId: `A${character}B` })
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain(character === '\n' ? 'A\nB' : character)
  })
}

/** Mounts a handoff in the shop's page, as its script does. */
async function mountHandoff(
  page: Page,
  stack: CrossSiteStack,
  { handoff, index }: { readonly handoff: Handoff; readonly index: number },
): Promise<void> {
  if (index === 0) await openCheckout(page)
  await page.locator('pi-checkout').evaluate((element, values) => {
    Object.assign(element, { intentId: values.id, clientSecret: values.clientSecret })
  }, handoff)
  await expect(page.locator('pi-checkout iframe')).toHaveAttribute(
    'src',
    `${stack.checkoutOrigin}/checkout/${handoff.id}`,
  )
}
