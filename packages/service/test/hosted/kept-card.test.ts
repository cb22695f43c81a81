import { expect, test } from 'vitest'
import { openShop, type ShopPage, startBrowserStack, valuesOf } from './browser.ts'

const stack = await startBrowserStack()

interface Case {
  readonly number: string
  /** What fails before Pay is pressed. */
  readonly fails?: (window: ShopPage) => unknown
  /** What the buyer does after Pay. */
  readonly next?: (window: ShopPage) => Promise<void>
  /** Text of the focused message, or label and error of the focused field. */
  readonly focused: string | readonly [label: string, error: string]
}

const declined = 'Your card was declined'
const again = 'No payment has been made so far'

const cases: Readonly<Record<string, Case>> = {
  'a decline': { number: '4000000000000002', focused: declined },
  'a wrong security code': {
    number: '4000000000000127',
    focused: ['Security code', 'The security code is wrong. Check it and try again.'],
  },
  'an expired card': {
    number: '4000000000000069',
    focused: ['Expiry date', 'This card has expired. Check the date or try another card.'],
  },
  'a denied challenge': {
    number: '4000000000003220',
    next: async (window) => await window.submitCode('0000'),
    focused: 'Your bank did not confirm',
  },
  'a challenge that the buyer leaves': {
    number: '4000000000003220',
    next: async ({ frame }) =>
      await frame.getByRole('button', { name: 'Use another card' }).click(),
    focused: 'The confirmation was not finished',
  },
  'a lost connection': {
    number: '4242424242424242',
    fails: async ({ page }) =>
      await page.route('**/checkout-api/confirm', async (route) => await route.abort()),
    next: passRetries,
    focused: again,
  },
  'a server error': {
    number: '4242424242424242',
    fails: async ({ page }) =>
      await page.route('**/checkout-api/confirm', async (route) =>
        route.fulfill({ status: 503, json: { status: 503 } }),
      ),
    next: passRetries,
    focused: again,
  },
}

for (const [name, { number, fails, next, focused }] of Object.entries(cases)) {
  test(`keeps the card and focuses what is at fault after ${name}`, async () => {
    const window = await openShop(stack, {
      prepare: async (page) => await page.clock.install(),
      expected: [/Failed to load resource/],
    })
    const { frame } = window
    await window.fill(number)
    const typed = await valuesOf(frame)
    await fails?.(window)
    await frame.getByRole('button', { name: /^Pay / }).click()
    await next?.(window)
    const active = frame.locator(':focus')
    if (typeof focused === 'string') {
      await expect.poll(async () => await active.getAttribute('role')).toBe('alert')
      expect(await active.textContent()).toContain(focused)
    } else {
      const [label, error] = focused
      const field = frame.getByLabel(label)
      await expect.poll(async () => await field.getAttribute('aria-invalid')).toBe('true')
      await expect
        .poll(async () => await active.getAttribute('id'))
        .toBe(await field.getAttribute('id'))
      const described = await field.getAttribute('aria-describedby')
      expect(await frame.locator(`#${described}`).textContent()).toBe(error)
      expect(await frame.getByRole('alert').textContent()).toBe('')
    }
    expect(await valuesOf(frame)).toEqual(typed)
    expect((await window.messages()).filter((message) => message === 'hello')).toHaveLength(1)
  })
}

test('keeps card, focus, and caret when the language changes', async () => {
  const { frame, page, fill } = await openShop(stack)
  await fill('4242424242424242')
  const typed = await valuesOf(frame)
  await frame.getByLabel('Name on card').evaluate((input) => {
    Reflect.get(input, 'focus').call(input)
    Reflect.get(input, 'setSelectionRange').call(input, 3, 3)
  })
  for (const [locale, label] of [
    ['ru', 'Имя на карте'],
    ['hy', 'Անունը քարտի վրա'],
  ] as const) {
    await page.evaluate(`send({ t: 'config', locale: '${locale}' })`)
    await frame.getByLabel(label).waitFor()
    expect(await valuesOf(frame)).toEqual(typed)
    expect(await frame.locator(':focus').getAttribute('id')).toBe('card-name')
    expect(
      await frame.locator(':focus').evaluate((input) => Reflect.get(input, 'selectionStart')),
    ).toBe(3)
  }
})

test('unmarks a field at fault once the buyer corrects it', async () => {
  const window = await openShop(stack)
  await window.pay('4000000000000127')
  const code = window.frame.getByLabel('Security code')
  await expect.poll(async () => await code.getAttribute('aria-invalid')).toBe('true')
  await code.blur()
  expect(await code.getAttribute('aria-invalid')).toBe('true')
  await code.fill('456')
  await expect.poll(async () => await code.getAttribute('aria-invalid')).toBe('false')
  expect(await window.frame.getByRole('alert').textContent()).toBe('')
})

test('marks no empty field after the page was loaded again', async () => {
  const window = await openShop(stack)
  await window.pay('4000000000000127')
  await window.frame.getByText('The security code is wrong.').waitFor()
  await window.page.reload()
  await window.alert('The security code is wrong.')
  expect(await window.frame.locator('[aria-invalid=true]').count()).toBe(0)
})

/** Lets the pauses between the attempts to confirm pass. */
async function passRetries({ page, frame }: ShopPage): Promise<void> {
  const pay = frame.locator('button.pay')
  await expect
    .poll(async () => {
      await page.clock.runFor(1000)
      return await pay.getAttribute('aria-disabled')
    })
    .toBe('false')
}
