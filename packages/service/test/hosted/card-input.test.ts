import type { FrameLocator } from '@playwright/test'
import { expect, test } from 'vitest'
import { expectResult, openShop, useBrowserStack } from './browser.ts'

const stack = useBrowserStack()

const card = ['4000 0000 0000 3220', '12 / 40', '123', 'Ani Test']

async function valuesOf(frame: FrameLocator): Promise<string[]> {
  return await frame
    .locator('form.card input')
    .evaluateAll((inputs) => inputs.map((input) => String(Reflect.get(input, 'value'))))
}

test('inserts text at the caret in the name', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { frame, page } = window
  const name = frame.getByLabel('Name on card')
  await name.fill('Ani Petrosyan')
  await name.evaluate((input) => Reflect.get(input, 'setSelectionRange').call(input, 3, 3))
  await page.keyboard.type('bob', { delay: 5 })
  expect(await name.inputValue()).toBe('Anibob Petrosyan')
  await window.close()
})

test('keeps and sends values that were set without an event', async () => {
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
  test(`keeps the card and focuses the reason after a challenge ends with ${answer}`, async () => {
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

test('updates its messages after an automatic translation of the page', async () => {
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

test('ignores the browser clock when it validates the expiry date', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    prepare: async (page) => await page.clock.setSystemTime(new Date('2051-01-01')),
  })
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})
