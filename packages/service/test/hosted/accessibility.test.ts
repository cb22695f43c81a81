import { expect, test } from 'vitest'
import {
  expectResult,
  frameAt,
  openShop,
  type ShopPage,
  startBrowserStack,
  violationsIn,
} from './browser.ts'

const stack = await startBrowserStack()

for (const scheme of ['light', 'dark'] as const) {
  test(`has no axe violations in any view, ${scheme}`, async () => {
    const { checkout } = stack
    const window = await openShop(stack, { context: { colorScheme: scheme }, query: { scheme } })
    const { frame, bank } = window
    const expectAccessible = async (view: string, origin = checkout.url): Promise<void> =>
      expect(await violationsIn(frameAt(window, origin)), view).toEqual([])
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByRole('button', { name: /^Pay / }).click()
    await frame.getByText('The card number is incomplete.').waitFor()
    await expectAccessible('form with errors')
    await frame.getByTestId('test-card-declined').click()
    await frame.getByRole('button', { name: /^Pay / }).click()
    await window.alert('declined')
    await expectAccessible('declined')
    await window.pay('4000000000003220')
    await window.submitCode('1111')
    await bank.getByText('This code is wrong.').waitFor()
    await expectAccessible('bank', checkout.challengeUrl)
    await expectAccessible('challenge')
    await window.submitCode('1234')
    await expectResult(window, 'paid')
    await expectAccessible('result')
  })
}

for (const [locale, pay, label, declined] of [
  ['en', /^Pay /, 'Card number', 'Your card was declined.'],
  ['hy', /^Վճարել /, 'Քարտի համարը', 'Քարտը մերժվեց։'],
  ['ru', /^Оплатить /, 'Номер карты', 'Карта отклонена.'],
  ['hy-AM', /^Վճարել /, 'Քարտի համարը', 'Քարտը մերժվեց։'],
  ['de-AT', /^Pay /, 'Card number', 'Your card was declined.'],
  ['not a locale!', /^Pay /, 'Card number', 'Your card was declined.'],
] as const) {
  test(`shows a shop in "${locale}" the closest language within 320 by 600 pixels`, async () => {
    const window = await openShop(stack, { query: { locale }, context: { viewport: phone } })
    const { frame, page } = window
    await frame.getByLabel(label).waitFor()
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByTestId('test-card-declined').click()
    await frame.getByTestId('sandbox-toggle').click()
    await frame.getByRole('button', { name: pay }).click()
    await window.alert(declined)
    await expect.poll(async () => (await window.messages()).at(-1)).toMatch(/size|busy false/)
    const box = await page.locator('iframe').boundingBox()
    expect(box?.height).toBeLessThanOrEqual(600)
    expect(await scrollWidth(window)).toBeLessThanOrEqual(320)
    await frame.locator('html').evaluate(`document.documentElement.style.fontSize = '200%'`)
    await frame.getByLabel(label).fill('')
    await frame.getByRole('button', { name: pay }).click()
    await frame.locator('.error').waitFor()
    expect(await scrollWidth(window)).toBeLessThanOrEqual(320)
  })
}

test('gives every control at least 44 pixels, and every recognized brand a drawing', async () => {
  const window = await openShop(stack, { context: { viewport: phone } })
  const { frame } = window
  const heights = frame
    .locator('button:visible, input:visible, summary')
    .evaluateAll((controls) =>
      controls.map((control) => [
        control.textContent?.trim(),
        Reflect.get(control, 'offsetHeight') as number,
      ]),
    )
  expect((await heights).filter(([, height]) => Number(height) < 44)).toEqual([])
  const unknown = await frame.locator('[data-field=number] svg').innerHTML()
  for (const [number, brand] of [
    ['4242', 'Visa'],
    ['51', 'Mastercard'],
    ['34', 'American Express'],
    ['36', 'Diners Club'],
    ['6011', 'Discover'],
    ['3528', 'JCB'],
    ['6201', 'UnionPay'],
    ['5018', 'Maestro'],
    ['4011 78', 'Elo'],
    ['2200', 'Mir'],
    ['6370 95', 'Hiper'],
    ['6062 82', 'Hipercard'],
    ['9051', 'ArCa'],
  ] as const) {
    await frame.getByLabel('Card number').fill(number)
    const icon = frame.getByRole('img', { name: brand, exact: true })
    await icon.waitFor()
    expect(await icon.innerHTML()).not.toBe(unknown)
  }
})

test('does not scroll sideways at 200 % zoom', async () => {
  const window = await openShop(stack, {
    context: { viewport: { width: 195, height: 380 }, deviceScaleFactor: 2 },
  })
  expect(await scrollWidth(window)).toBeLessThanOrEqual(195)
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  expect(await scrollWidth(window)).toBeLessThanOrEqual(195)
})

test('wraps a long merchant name, a long order id, and a huge amount', async () => {
  const pair = await stack.checkout.createIntent({
    amount: Number.MAX_SAFE_INTEGER,
    orderId: 'W'.repeat(32),
    environmentId: 'env_other',
  })
  await stack.checkout.db.query`
    update merchants set name = ${'Wagenknecht & Söhne '.repeat(6)} where id = 'mer_books'`
  const window = await openShop(stack, { pair, context: { viewport: phone } })
  expect(await scrollWidth(window)).toBeLessThanOrEqual(320)
})

const phone = { width: 320, height: 640 }

test.each(['en', 'hy', 'ru'])('breaks no word of the bank’s buttons in %s', async (locale) => {
  const window = await openShop(stack, { query: { locale }, context: { viewport: phone } })
  await window.fill('4000000000003220')
  await window.frame.locator('button.pay').click()
  const buttons = window.frame.frameLocator('iframe').locator('form button')
  await buttons.first().waitFor()
  for (const width of [320, 360, 390, 430]) {
    await window.page.setViewportSize({ ...phone, width })
    const lines = await buttons.evaluateAll((found) =>
      found.map((button) => {
        const range = button.ownerDocument.createRange()
        range.selectNodeContents(button)
        return range.getClientRects().length
      }),
    )
    expect([width, lines]).toEqual([width, [1, 1]])
  }
})

async function scrollWidth(window: ShopPage): Promise<unknown> {
  const frame = frameAt(window, stack.checkout.url)
  return await frame.evaluate('document.documentElement.scrollWidth')
}

test('draws the border of a focused invalid field in the color of errors', async () => {
  const { frame } = await openShop(stack)
  const code = frame.getByLabel('Security code')
  await code.fill('1')
  await frame.getByLabel('Card number').focus()
  await code.focus()
  const styleOf = async (selector: string, property: string): Promise<unknown> =>
    await code.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  const color = await styleOf('.error', 'color')
  expect(color).toMatch(/^rgb/)
  await expect.poll(() => styleOf('#card-cvc', 'borderTopColor')).toBe(color)
})
