import type { FrameLocator } from '@playwright/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type BrowserStack, expectResult, openShop, startBrowserStack } from './browser.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let stack: BrowserStack

beforeAll(async () => {
  stack = await startBrowserStack()
})
afterAll(async () => await stack.close())

const card = ['4000 0000 0000 3220', '12 / 40', '123', 'Ani Test']

async function valuesOf(frame: FrameLocator): Promise<string[]> {
  return await frame
    .locator('form.card input')
    .evaluateAll((inputs) => inputs.map((input) => String(Reflect.get(input, 'value'))))
}

test('a name is edited where the caret stands', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { frame, page } = window
  const name = frame.getByLabel('Name on card')
  await name.fill('Ani Petrosyan')
  await name.evaluate((input) => Reflect.get(input, 'setSelectionRange').call(input, 3, 3))
  await page.keyboard.type('bob', { delay: 5 })
  expect(await name.inputValue()).toBe('Anibob Petrosyan')
  await window.close()
})

test('values that came without any event stay, and are what Pay sends', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { frame, page } = window
  const filled = ['4242424242424242', '122034', '１２３', 'Ani Test']
  await frame.locator('body').evaluate(`{
    const values = ${JSON.stringify(filled)}
    const inputs = document.querySelectorAll('form.card input')
    for (const [at, input] of inputs.entries()) input.value = values[at]
  }`)
  await page.evaluate(`send({ t: 'config', locale: 'ru' })`)
  await frame.getByLabel('Номер карты').waitFor()
  expect(await valuesOf(frame)).toEqual(filled)
  await frame.getByRole('button', { name: /^Оплатить/ }).click()
  await expectResult(window, 'paid')
  await window.close()
})

for (const [answer, reason] of [
  ['0000', 'Your bank did not confirm'],
  ['leave', 'The confirmation was not finished'],
] as const) {
  test(`a challenge that ends with ${answer} keeps the card and moves to the reason`, async () => {
    const window = await openShop(stack, await stack.checkout.createIntent())
    const { frame, bank, page } = window
    await window.pay('4000000000003220')
    await bank.getByLabel('Code').fill('0000')
    if (answer === 'leave') await frame.getByRole('button', { name: 'Use another card' }).click()
    else await bank.getByRole('button', { name: 'Confirm' }).click()
    await frame.getByRole('alert').getByText(reason).waitFor()
    expect(await valuesOf(frame)).toEqual(card)
    await expect
      .poll(async () => await frame.locator('body').evaluate(`document.activeElement.role`))
      .toBe('alert')
    await page.evaluate(`send({ t: 'config', locale: 'hy' })`)
    await frame.getByLabel('Քարտի համարը').waitFor()
    expect(await valuesOf(frame)).toEqual(card)
    await window.close()
  })
}

test('after an automatic translation of the page its messages still follow the fields', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { frame } = window
  await frame.getByRole('button', { name: /^Pay / }).click()
  await frame.getByText('The card number is incomplete.').waitFor()
  // As browsers translate: each text node gives way to an element with the translation.
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
  const number = frame.getByRole('textbox').first()
  await number.fill('4242 4242 4242 4241')
  const field = frame.locator('[data-field=number] .error')
  await expect.poll(async () => await field.textContent()).toBe('This card number is not valid.')
  await number.fill('4000 0000 0000 0002')
  await expect.poll(async () => await field.count()).toBe(0)
  await frame.getByRole('textbox').nth(1).fill('12 / 40')
  await frame.getByRole('textbox').nth(2).fill('123')
  await frame.locator('button.pay').click()
  await frame.getByRole('alert').getByText('Your card was declined').waitFor()
  await frame.getByRole('textbox').nth(2).fill('124')
  await frame.locator('button.pay').click()
  await expect.poll(async () => await frame.locator('button.pay').textContent()).toMatch(/^Pay /)
  await window.close()
})

test("a buyer's clock that is years off does not judge the expiry date", async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    prepare: async (page) => await page.clock.setSystemTime(new Date('2051-01-01')),
  })
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

for (const locale of ['en', 'hy', 'ru']) {
  test(`text of 200 % in a frame of 320 pixels does not scroll sideways: ${locale}`, async () => {
    const window = await openShop(stack, await stack.checkout.createIntent(), {
      query: { locale },
      context: { viewport: { width: 320, height: 640 } },
    })
    const { frame } = window
    await frame.locator('html').evaluate(`document.documentElement.style.fontSize = '200%'`)
    await frame.locator('button.pay').click()
    await frame.locator('.error').first().waitFor()
    const width = await frame.locator('html').evaluate((html) => html.scrollWidth)
    expect(width).toBeLessThanOrEqual(320)
    await window.close()
  })
}
