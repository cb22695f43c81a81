import { fillCard, hostedPage } from '../fixtures/buyer.ts'
import {
  expect,
  expectAlert,
  expectResult,
  payOf,
  test,
  valuesOf,
} from '../fixtures/hosted-form.ts'

test('validates each field in place before it sends anything', async ({ page, openForm }) => {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await openForm()
  const form = hostedPage(page)
  const number = form.getByLabel('Card number')
  await payOf(page).click()
  await expect(form.getByText('Enter the whole card number.')).toBeVisible()
  await expect(number).toBeFocused()
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  for (const [label, value, error] of [
    ['Card number', '4111111111111111', 'Only test cards work here.'],
    ['Expiry date', '01 / 20', 'Card has expired.'],
    ['Security code', '12', 'Enter 3 digits.'],
  ] as const) {
    await form.getByLabel(label).fill(value)
    await form.getByLabel(label).blur()
    await expect(form.getByText(error)).toBeVisible()
  }
  await number.fill('4242424242424242')
  await expect(number).toHaveAttribute('aria-invalid', 'false')
  expect(sent.filter((url) => url.endsWith('/confirm'))).toEqual([])
})

test('keeps the caret while it formats a field', async ({ page, openForm }) => {
  await openForm()
  const number = hostedPage(page).getByLabel('Card number')
  await number.fill('378282246310005')
  await expect(number).toHaveAccessibleName('Card number American Express')
  await number.fill('')
  await expect(number).toHaveAccessibleName('Card number')

  for (const [label, text, typed, value] of [
    ['Name on card', 'Ani Petrosyan', 'bob', 'Anibob Petrosyan'],
    ['Card number', '42424242', '999', '4249 9924 242'],
    ['Expiry date', '', '440', '04 / 40'],
  ] as const) {
    const field = hostedPage(page).getByLabel(label)
    await field.fill(text)
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3))
    await page.keyboard.type(typed)
    await expect(field).toHaveValue(value)
  }
})

test('shows a decline above Pay, which stays in its place', async ({ page, openForm }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openForm()
  const form = hostedPage(page)
  const edges = (selector: string) =>
    form
      .locator(selector)
      .first()
      .evaluate((part) => part.getBoundingClientRect().toJSON())
  const gap = async (above: string, below: string): Promise<number> =>
    (await edges(below)).top - (await edges(above)).bottom
  await payOf(page).click()
  await expect(form.locator('.error')).toHaveCount(3)
  expect(await gap('#card-number', '#card-number-error')).toBeGreaterThanOrEqual(4)
  expect(await gap('#card-number-error', '[for=card-expiry]')).toBeGreaterThanOrEqual(8)
  expect(await gap('#card-expiry-error', '[for=card-name]')).toBeGreaterThanOrEqual(8)
  await fillCard(page, '4000000000000002')
  const before = await payOf(page).boundingBox()
  await payOf(page).click()
  await expectAlert(page, 'declined')
  await expect(payOf(page)).toHaveText(/^Pay /)
  expect(await payOf(page).boundingBox()).toEqual(before)
  expect(await form.locator('pi-hosted-page').evaluate((card) => card.clientHeight)).toBe(532)
  expect(await gap('#card-name', '.notice')).toBeGreaterThanOrEqual(8)
  expect(await gap('.notice', '.pay')).toBeGreaterThanOrEqual(12)
  expect(await gap('.pay', '.card .link')).toBeGreaterThanOrEqual(16)
  const number = form.getByLabel('Card number')
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  await expect(number).toHaveAccessibleDescription('Your card was declined. Try another card.')
  await number.fill('4242')
  await expect(number).toHaveAttribute('aria-invalid', 'false')
})

test('keeps and sends values that were set without an event', async ({ page, openForm }) => {
  await openForm()
  const form = hostedPage(page)
  const filled = ['4242424242424242', '122034', '123', 'Ani Test']
  await form.locator('form.card input').evaluateAll((inputs, values) => {
    for (const [at, input] of inputs.entries()) Object.assign(input, { value: values[at] })
  }, filled)
  await page.evaluate("document.querySelector('pi-checkout').locale = 'ru'")
  await expect(form.getByLabel('Номер карты')).toBeVisible()
  expect(await valuesOf(page)).toEqual(filled)
  await payOf(page).click()
  await expectResult(page, 'paid')
})

test('pays with Enter on a short screen, whatever the clock says', async ({ page, openForm }) => {
  await page.setViewportSize({ width: 390, height: 300 })
  await page.clock.setSystemTime(new Date('2051-01-01'))
  await openForm()
  await fillCard(page, '4242424242424242')
  await hostedPage(page).getByLabel('Card number').press('Enter')
  await expectResult(page, 'paid')
})
