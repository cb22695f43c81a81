import { expect, test } from 'vitest'
import { expectResult, openShop, startBrowserStack, valuesOf } from './browser.ts'

const stack = await startBrowserStack()

test('validates each field in place and sends nothing before all are valid', async () => {
  const sent: string[] = []
  const { frame } = await openShop(stack, {
    prepare: async (page) => void page.on('request', (request) => sent.push(request.url())),
  })
  const number = frame.getByLabel('Card number')
  await frame.getByRole('button', { name: /^Pay / }).click()
  await frame.getByText('The card number is incomplete.').waitFor()
  expect(await number.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true)
  expect(await number.getAttribute('aria-invalid')).toBe('true')
  for (const [label, value, error] of [
    ['Card number', '4242424242424241', 'This card number is not valid.'],
    ['Card number', '4111111111111111', 'only test cards work here'],
    ['Expiry date', '01 / 20', 'This card has expired.'],
    ['Security code', '12', 'The security code has 3 digits.'],
    ['Name on card', '4242 4242', 'Enter the name as it appears on the card.'],
  ] as const) {
    await frame.getByLabel(label).fill(value)
    await frame.getByLabel(label).blur()
    await frame.getByText(error).waitFor()
  }
  await number.fill('4242424242424242')
  expect(await number.getAttribute('aria-invalid')).toBe('false')
  expect(sent.filter((url) => url.endsWith('/confirm'))).toEqual([])
})

test('formats fields while typing, shows the brand, and moves the focus on', async () => {
  const { frame, page } = await openShop(stack)
  await frame.getByLabel('Card number').click()
  for (const [typed, label, value] of [
    ['378282246310005', 'Card number', '3782 822463 10005'],
    ['440', 'Expiry date', '04 / 40'],
    ['12345', 'Security code', '1234'],
  ] as const) {
    await page.keyboard.type(typed, { delay: 5 })
    expect(await frame.getByLabel(label).inputValue()).toBe(value)
  }
  await frame.getByRole('img', { name: 'American Express' }).waitFor()
  await frame.getByLabel('Card number').fill('9051000000000009')
  await frame.getByRole('img', { name: 'ArCa' }).waitFor()
})

test('declares label, input mode, and autocomplete name of each field', async () => {
  const { frame } = await openShop(stack)
  const attributes = await frame
    .locator('form.card input')
    .evaluateAll((fields) =>
      fields.map((field) => [field.getAttribute('inputmode'), field.getAttribute('autocomplete')]),
    )
  expect(attributes).toEqual([
    ['numeric', 'cc-number'],
    ['numeric', 'cc-exp'],
    ['numeric', 'cc-csc'],
    ['text', 'cc-name'],
  ])
  expect(await frame.locator('label').allInnerTexts()).toEqual([
    'Card number',
    'Expiry date',
    'Security code',
    expect.stringMatching(/^Name on card\s+optional$/),
  ])
})

for (const [label, text, typed, value] of [
  ['Name on card', 'Ani Petrosyan', 'bob', 'Anibob Petrosyan'],
  ['Card number', '42424242', '999', '4249 9924 242'],
] as const) {
  test(`inserts text at the caret: ${label}`, async () => {
    const { frame, page } = await openShop(stack)
    const field = frame.getByLabel(label)
    await field.fill(text)
    await field.evaluate((input) => Reflect.get(input, 'setSelectionRange').call(input, 3, 3))
    await page.keyboard.type(typed, { delay: 5 })
    expect(await field.inputValue()).toBe(value)
  })
}

test('keeps and sends values that were set without an event', async () => {
  const window = await openShop(stack)
  const { frame, page } = window
  const filled = ['4242424242424242', '122034', '１２３', 'Ani Test']
  await frame.locator('body').evaluate(`{
    const values = ${JSON.stringify(filled)}
    const inputs = document.querySelectorAll('form.card input')
    for (const [index, input] of inputs.entries()) input.value = values[index]
  }`)
  await page.evaluate(`send({ t: 'config', locale: 'ru' })`)
  await frame.getByLabel('Номер карты').waitFor()
  expect(await valuesOf(frame)).toEqual(filled)
  await frame.getByRole('button', { name: /^Оплатить/ }).click()
  await expectResult(window, 'paid')
})

test('updates its messages after an automatic translation of the page', async () => {
  const window = await openShop(stack)
  const { frame } = window
  const field = (index: number) => frame.getByRole('textbox').nth(index)
  const pay = frame.locator('button.pay')
  await pay.click()
  await frame.getByText('The card number is incomplete.').waitFor()
  // Browsers replace each text node by an element with the translation.
  await frame.locator('body').evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) if (texts.currentNode.data.trim()) found.push(texts.currentNode)
    for (const text of found) {
      const font = document.createElement('font')
      font.textContent = 'XX ' + text.data
      text.replaceWith(font)
    }
  }`)
  await field(0).fill('4242 4242 4242 4241')
  const error = frame.locator('[data-field=number] .error')
  await expect.poll(async () => await error.textContent()).toBe('This card number is not valid.')
  await field(0).fill('4000 0000 0000 0002')
  await expect.poll(async () => await error.count()).toBe(0)
  await field(1).fill('12 / 40')
  await field(2).fill('123')
  await pay.click()
  await window.alert('Your card was declined')
  await field(2).fill('124')
  await pay.click()
  await expect.poll(async () => await pay.textContent()).toMatch(/^Pay /)
})

test('ignores the browser clock when it validates the expiry date', async () => {
  const window = await openShop(stack, {
    prepare: async (page) => await page.clock.setSystemTime(new Date('2051-01-01')),
  })
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
})
