import type { Request } from '@playwright/test'
import { expect, test } from 'vitest'
import { PageClient } from '../support/checkout.ts'
import { expectResult, openShop, useBrowserStack } from './browser.ts'

const stack = useBrowserStack()

test('shows merchant, amount, and order, pays, and sends finish to the shop', async () => {
  const pair = await stack.checkout.createIntent({ amount: 1999, currency: 'USD' })
  const window = await openShop(stack, pair)
  const { frame } = window
  await frame.getByText('Ararat Tea House').waitFor()
  expect(await frame.getByTestId('amount').textContent()).toBe('$19.99')
  expect(await frame.getByTestId('order').textContent()).toBe('Order A-1001')
  expect(await frame.getByText('Sandbox: no real cards').isVisible()).toBe(true)
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  const messages = (await window.messages()).filter((message) => message !== 'size')
  expect(messages).toEqual(['hello', 'ack', 'ready', 'busy true', 'busy false', 'finish'])
  await window.close()
})

test('ends the payment after a stolen card with a generic decline', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000000000009979')
  await expectResult(window, 'failed')
  expect(await window.frame.getByRole('main').textContent()).toContain('Your card was declined.')
  expect(await window.messages()).toContain('finish')
  await window.close()
})

test('validates each field in place and sends nothing before all are valid', async () => {
  const pair = await stack.checkout.createIntent()
  const sent: string[] = []
  const window = await openShop(stack, pair, {
    prepare: async (page) => {
      page.on('request', (request) => {
        if (request.url().endsWith('/confirm')) sent.push(request.url())
      })
    },
  })
  const { frame } = window
  const number = frame.getByLabel('Card number')
  await frame.getByRole('button', { name: /^Pay / }).click()
  await frame.getByText('The card number is incomplete.').waitFor()
  expect(await number.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true)
  expect(await number.getAttribute('aria-invalid')).toBe('true')
  await number.fill('4242424242424241')
  await frame.getByText('This card number is not valid.').waitFor()
  await number.fill('4111111111111111')
  await number.blur()
  await frame.getByText('only its test cards work here').waitFor()
  await number.fill('4242424242424242')
  expect(await number.getAttribute('aria-invalid')).toBe('false')
  const expiry = frame.getByLabel('Expiry date')
  await expiry.fill('01 / 20')
  await expiry.blur()
  await frame.getByText('This card has expired.').waitFor()
  await frame.getByLabel('Security code').fill('12')
  await frame.getByLabel('Security code').blur()
  await frame.getByText('The security code has 3 digits.').waitFor()
  await frame.getByLabel('Name on card').fill('4242 4242')
  await frame.getByLabel('Name on card').blur()
  await frame.getByText('Enter the name as it appears on the card.').waitFor()
  expect(sent).toEqual([])
  await window.close()
})

test('formats fields while typing, shows the brand, and moves the focus on', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const { frame, page } = window
  await frame.getByLabel('Card number').click()
  await page.keyboard.type('378282246310005', { delay: 5 })
  expect(await frame.getByLabel('Card number').inputValue()).toBe('3782 822463 10005')
  await frame.getByRole('img', { name: 'American Express' }).waitFor()
  await page.keyboard.type('440', { delay: 5 })
  expect(await frame.getByLabel('Expiry date').inputValue()).toBe('04 / 40')
  await page.keyboard.type('12345', { delay: 5 })
  expect(await frame.getByLabel('Security code').inputValue()).toBe('1234')
  await frame.getByLabel('Card number').fill('9051000000000009')
  await frame.getByRole('img', { name: 'ArCa' }).waitFor()
  await window.close()
})

test('declares input modes and autocomplete names for the fields', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const attributes = await window.frame
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
  await window.close()
})

test('charges once when the response to a confirmation is lost', async () => {
  const pair = await stack.checkout.createIntent()
  const attempts: string[] = []
  const window = await openShop(stack, pair, {
    expected: [/ERR_FAILED/],
    prepare: async (page) => {
      await page.route('**/checkout-api/confirm', async (route) => {
        attempts.push(route.request().postDataJSON().attemptId)
        if (attempts.length > 1) return await route.continue()
        // The service handles the request, but the response is lost.
        const { headers, postData } = await allOf(route.request())
        const url = route.request().url().replace(stack.checkout.url, stack.checkout.nodeUrl)
        await fetch(url, { method: 'POST', headers, body: postData })
        await route.abort()
      })
    },
  })
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  const charges = await stack.checkout.db.query`
    select from payment_attempts where intent_id = ${pair.id}`
  expect(charges).toHaveLength(1)
  expect(new Set(attempts).size).toBe(1)
  await window.close()
})

async function allOf(
  request: Request,
): Promise<{ readonly headers: Record<string, string>; readonly postData: string }> {
  const { authorization = '', origin = '' } = await request.allHeaders()
  const headers = { authorization, origin, 'content-type': 'application/json' }
  return { headers, postData: request.postData() ?? '' }
}

test('sends one confirmation for a double click on Pay', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair)
  await window.fill('4242424242424242')
  await window.frame.getByRole('button', { name: /^Pay / }).dblclick()
  await expectResult(window, 'paid')
  const charges = await stack.checkout.db.query`
    select from payment_attempts where intent_id = ${pair.id}`
  expect(charges).toHaveLength(1)
  await window.close()
})

test('asks again after a wrong code and returns to the form after a denial', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').fill('1111')
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await window.bank.getByRole('alert').getByText('This code is wrong.').waitFor()
  await window.bank.getByLabel('Code').fill('0000')
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await window.frame.getByRole('alert').getByText('Your bank did not confirm').waitFor()
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

test('cancels the challenge to use another card', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').waitFor()
  await window.frame.getByRole('button', { name: 'Use another card' }).click()
  await window.frame.getByRole('alert').getByText('The confirmation was not finished').waitFor()
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

test('shows the challenge again after a reload', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').waitFor()
  await window.page.reload()
  await window.bank.getByLabel('Code').fill('1234')
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await expectResult(window, 'paid')
  await window.close()
})

test('reopens a challenge whose token was used', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  const posted = window.page.waitForRequest(`${stack.checkout.challengeUrl}/challenge`)
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').waitFor()
  const token = new URLSearchParams((await posted).postData() ?? '').get('token') ?? ''
  expect(token).toHaveLength(43)
  // What a browser does on its own when it loads a frame again.
  await window.frame.locator('body').evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '${stack.checkout.challengeUrl}/challenge' })
    form.target = 'challenge'
    form.append(Object.assign(document.createElement('input'), { name: 'token', value: '${token}' }))
    document.body.append(form)
    form.submit()
    form.remove()
  }`)
  await window.frame.getByText('The confirmation was interrupted').waitFor()
  await window.frame.getByRole('button', { name: 'Confirm here' }).click()
  await window.bank.getByLabel('Code').fill('1234')
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await expectResult(window, 'paid')
  await window.close()
})

test('opens a challenge once when two responses announce it', async () => {
  let opened = 0
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    prepare: async (page) => {
      // The long poll returns the challenge before the first ticket arrives.
      const polled = page.waitForResponse((response) =>
        response.url().includes('/checkout-api/intent'),
      )
      await page.route('**/checkout-api/challenge/open', async (route) => {
        opened++
        await polled
        await route.continue()
      })
    },
  })
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').fill('1234')
  expect(opened).toBe(1)
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await expectResult(window, 'paid')
  await window.close()
})

test('returns to the form with the reason after a denied redirect', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000002760003184')
  await window.page.getByLabel('Code').fill('0000')
  await window.page.getByRole('button', { name: 'Confirm' }).click()
  await window.frame.getByRole('alert').getByText('Your bank did not confirm').waitFor()
  await window.close()
})

test('offers the bank or another card after Back from the bank', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000002760003184')
  await window.page.getByLabel('Code').waitFor()
  await window.page.goBack()
  const { frame, page } = window
  await frame.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByLabel('Code').waitFor()
  await page.goBack()
  await frame.getByRole('button', { name: 'Use another card' }).click()
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

test('stays on the shop’s page if the shop does not reply to leave', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair, {
    query: { stay: '' },
    prepare: async (page) => await page.clock.install(),
  })
  await window.pay('4000002760003184')
  await expect.poll(window.messages).toContain('leave')
  await window.page.clock.runFor(10_000)
  await window.frame.getByRole('alert').getByText('Your bank’s page did not open').waitFor()
  expect(new URL(window.page.url()).origin).toBe(stack.shop.origin)
  await window.close()
})

test('updates a second window of the same payment', async () => {
  const pair = await stack.checkout.createIntent()
  const first = await openShop(stack, pair)
  const second = await openShop(stack, pair)
  await first.pay('4000000000000002')
  await second.frame.getByRole('alert').getByText('Your card was declined').waitFor()
  await second.pay('4242424242424242')
  await expectResult(second, 'paid')
  await expectResult(first, 'paid')
  await first.close()
  await second.close()
})

test('waits for a result that arrives seconds later', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.pay('4000000000000341')
  await window.frame.getByRole('heading', { name: 'Processing your payment' }).waitFor()
  stack.checkout.advance(5100)
  await expectResult(window, 'paid')
  await window.close()
})

test('finishes with a pending result after 12 seconds', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    prepare: async (page) => await page.clock.install(),
  })
  await window.pay('4000000000000077')
  await window.frame.getByRole('heading', { name: 'Processing your payment' }).waitFor()
  expect(await window.messages()).not.toContain('finish')
  await window.page.clock.runFor(12_000)
  await expectResult(window, 'processing')
  expect(await window.messages()).toContain('finish')
  await window.close()
})

test('sends cancel instead of finish when the buyer cancels', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair)
  await window.frame.getByRole('button', { name: 'Cancel payment' }).click()
  await expectResult(window, 'canceled')
  const messages = await window.messages()
  expect(messages).toContain('cancel')
  expect(messages).not.toContain('finish')
  const again = await openShop(stack, pair)
  await expectResult(again, 'canceled')
  expect(await again.messages()).toContain('finish')
  await window.close()
  await again.close()
})

test('shows the result of a final payment immediately', async () => {
  const pair = await stack.checkout.createIntent()
  const client = new PageClient(stack.checkout)
  await client.open(pair, stack.shop.origin)
  await client.pay('4242424242424242')
  const window = await openShop(stack, pair)
  await expectResult(window, 'paid')
  expect((await window.messages()).filter((message) => message !== 'size')).toEqual([
    'hello',
    'ack',
    'ready',
    'finish',
  ])
  await window.close()
})
