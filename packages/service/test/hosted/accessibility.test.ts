import type { Frame } from '@playwright/test'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { expectResult, openShop, type ShopPage, useBrowserStack } from './browser.ts'

const stack = useBrowserStack()

/** Returns the axe violations in a frame, with their elements. */
async function violationsIn(frame: Frame | undefined): Promise<string[]> {
  if (!frame) throw new Error('there is no such frame')
  await frame.evaluate(axe.source)
  const run = `axe.run(document, { resultTypes: ['violations'] })`
  const { violations } = (await frame.evaluate(run)) as axe.AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

function frameAt({ page }: ShopPage, origin: string): Frame | undefined {
  return page.frames().find((frame) => frame.url().startsWith(origin))
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`has no axe violations in any view, ${colorScheme}`, async () => {
    const { checkout } = stack
    const window = await openShop(stack, await checkout.createIntent(), {
      context: { colorScheme },
      query: { scheme: colorScheme },
    })
    const { frame, bank } = window
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByRole('button', { name: /^Pay / }).click()
    await frame.getByText('The card number is incomplete.').waitFor()
    expect(await violationsIn(frameAt(window, checkout.url)), 'form with faults').toEqual([])
    await frame.getByTestId('test-card-declined').click()
    await frame.getByRole('button', { name: /^Pay / }).click()
    await frame.getByRole('alert').getByText('declined').waitFor()
    expect(await violationsIn(frameAt(window, checkout.url)), 'declined').toEqual([])
    await window.pay('4000000000003220')
    await bank.getByLabel('Code').fill('1111')
    await bank.getByRole('button', { name: 'Confirm' }).click()
    await bank.getByText('This code is wrong.').waitFor()
    expect(await violationsIn(frameAt(window, checkout.challengeUrl)), 'bank').toEqual([])
    expect(await violationsIn(frameAt(window, checkout.url)), 'challenge').toEqual([])
    await bank.getByLabel('Code').fill('1234')
    await bank.getByRole('button', { name: 'Confirm' }).click()
    await expectResult(window, 'paid')
    expect(await violationsIn(frameAt(window, checkout.url)), 'result').toEqual([])
    await window.close()
  })
}

test('pays with the keyboard only, challenge included', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { page, bank } = window
  const type = async (text: string): Promise<void> => await page.keyboard.type(text, { delay: 5 })
  await page.keyboard.press('Tab')
  await type('4000000000003220')
  await type('1240')
  await type('123')
  await page.keyboard.press('Tab')
  await type('Ani Test')
  await page.keyboard.press('Enter')
  await bank.getByLabel('Code').waitFor()
  await page.keyboard.press('Tab')
  await type('1234')
  await page.keyboard.press('Enter')
  await expectResult(window, 'paid')
  await window.close()
})

for (const [locale, pay, label, declined] of [
  ['en', /^Pay /, 'Card number', 'Your card was declined.'],
  ['hy', /^Վճարել /, 'Քարտի համարը', 'Քարտը մերժվեց։'],
  ['ru', /^Оплатить /, 'Номер карты', 'Карта отклонена.'],
  ['hy-AM', /^Վճարել /, 'Քարտի համարը', 'Քարտը մերժվեց։'],
  ['de-AT', /^Pay /, 'Card number', 'Your card was declined.'],
  ['not a locale!', /^Pay /, 'Card number', 'Your card was declined.'],
] as const) {
  test(`shows a shop in "${locale}" the closest language within 320 by 600 pixels`, async () => {
    const window = await openShop(stack, await stack.checkout.createIntent(), {
      query: { locale },
      context: { viewport: { width: 320, height: 640 } },
    })
    const { frame, page } = window
    await frame.getByLabel(label).waitFor()
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByTestId('test-card-declined').click()
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByRole('button', { name: pay }).click()
    await frame.getByRole('alert').getByText(declined).waitFor()
    await expect.poll(async () => (await window.messages()).at(-1)).toMatch(/size|busy false/)
    const height = await page
      .locator('iframe')
      .evaluate((node) => node.getBoundingClientRect().height)
    expect(height).toBeLessThanOrEqual(600)
    expect(await scrollWidth(frameAt(window, stack.checkout.url))).toBeLessThanOrEqual(320)
    await frame.locator('html').evaluate(`document.documentElement.style.fontSize = '200%'`)
    await frame.getByLabel(label).fill('')
    await frame.getByRole('button', { name: pay }).click()
    await frame.locator('.error').waitFor()
    expect(await scrollWidth(frameAt(window, stack.checkout.url))).toBeLessThanOrEqual(320)
    await window.close()
  })
}

test('does not scroll sideways at 200 % zoom', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    context: { viewport: { width: 195, height: 380 }, deviceScaleFactor: 2 },
  })
  expect(await scrollWidth(frameAt(window, stack.checkout.url))).toBeLessThanOrEqual(195)
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  expect(await scrollWidth(frameAt(window, stack.checkout.url))).toBeLessThanOrEqual(195)
  await window.close()
})

async function scrollWidth(frame: Frame | undefined): Promise<number> {
  return (await frame?.evaluate('document.documentElement.scrollWidth')) as number
}

test('wraps a long merchant name, a long order id, and a huge amount', async () => {
  const pair = await stack.checkout.createIntent({
    amount: Number.MAX_SAFE_INTEGER,
    orderId: 'W'.repeat(32),
    environmentId: 'env_other',
  })
  await stack.checkout.registerOrigin(stack.shop.origin, 'env_other')
  await stack.checkout.db.query`
    update merchants set name = ${'Wagenknecht & Söhne '.repeat(6)} where id = 'mer_books'`
  const window = await openShop(stack, pair, {
    context: { viewport: { width: 320, height: 640 } },
  })
  expect(await scrollWidth(frameAt(window, stack.checkout.url))).toBeLessThanOrEqual(320)
  await window.close()
})
