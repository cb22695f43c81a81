/** The protocol between element and hosted page, at the hosted page. */
import { payWith } from '@pi-checkout/element/testing'
import { createIntent } from '../fixtures/merchant.ts'
import { messages, messageTypes, playElement } from '../fixtures/played-element.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('speaks the protocol with one parent, and sends it no secret', async ({
  page,
  stack,
  plainShop,
}) => {
  const handoff = await createIntent(stack)
  // Without a policy: the test evaluates text.
  plainShop.respond = () => ''
  await page.goto(plainShop.origin)
  await playElement(page, `${stack.api.checkoutOrigin}/checkout/${handoff.id}`)
  await expect.poll(() => messages(page)).toHaveLength(1)
  await test.step('sends hello once for each document, and waits for init', async () => {
    await expect.poll(() => page.evaluate('window.loaded')).toBe(true)
    const [first] = await messages(page)
    await page.evaluate('frame.src = frame.src')
    await expect.poll(() => messages(page)).toHaveLength(2)
    const [, second] = await messages(page)
    for (const one of [first, second]) {
      expect(one).toEqual({
        by: 'window',
        data: { pi: 'checkout', t: 'hello', v: [1], doc: expect.stringMatching(/^[\w-]{22,64}$/) },
      })
    }
    expect(second?.data.doc).not.toBe(first?.data.doc)
  })
  await test.step('accepts one valid init, and ignores other messages', async () => {
    for (const wrong of [
      "{ doc: 'B'.repeat(32) }",
      '{ v: 2 }',
      "{ pi: 'challenge' }",
      '{}, { ports: 0 }',
      '{}, { ports: 2 }',
      '{}, { by: otherFrame }',
    ]) {
      await page.evaluate(`sendInit(${wrong})`)
    }
    await page.evaluate('sendInit()')
    await expect.poll(() => messages(page)).toHaveLength(3)
    await page.evaluate(`
      window.first = port
      sendInit()
      port = first
      const junk = [null, 1, 'ready', [], {}, { t: 'nothing' }, { t: 5 }, { t: 'auth' }, { t: 'config' },
        { t: 'auth', id: 1, secret: {} }, { t: '__proto__' }, { t: 'left' }]
      for (const message of junk) port.postMessage(message)
      port.postMessage({ t: 'ping' })`)
    await expect.poll(() => messageTypes(page)).toEqual(['hello', 'hello', 'ack', 'pong'])
    const senders = (await messages(page)).map(({ by }) => by)
    expect(senders).toEqual(['window', 'window', 'port 6', 'port 6'])
  })
  await test.step('is ready after auth, in the configured language', async () => {
    await page.evaluate(`
      port.postMessage({ t: 'config', locale: 'hy-AM' })
      port.postMessage({ t: 'auth', id: '${handoff.id}', secret: '${handoff.clientSecret}' })`)
    await expect.poll(() => messageTypes(page)).toContain('ready')
    const hosted = page.frameLocator('pi-checkout iframe').locator('html')
    await expect(hosted).toHaveAttribute('lang', /^hy/)
    await page.evaluate(`port.postMessage({ t: 'config', locale: 'ru' })`)
    await expect(hosted).toHaveAttribute('lang', 'ru')
  })
  await test.step('is busy from Pay until the outcome', async () => {
    const connected = ['hello', 'hello', 'ack', 'pong', 'ready']
    await payWith(page, 'declined')
    await expect.poll(() => messageTypes(page)).toEqual([...connected, 'busy', 'idle'])
    await payWith(page, 'succeeded')
    await expect.poll(() => messageTypes(page)).toContain('finish')
    expect((await messageTypes(page)).slice(7)).toEqual(['busy', 'idle', 'finish'])
  })
  await test.step('says that the shop has not confirmed the payment, as the element tells it', async () => {
    const results = page.frameLocator('pi-checkout iframe').getByRole('status')
    const late = results.filter({ hasText: 'Waiting for the shop' })
    await page.evaluate(`port.postMessage({ t: 'config', locale: 'en', shop: 'late' })`)
    await expect(late).toHaveText('Waiting for the shop to confirm your order. Do not pay again.')
    await page.evaluate(`port.postMessage({ t: 'config', locale: 'en' })`)
    await expect(late).toHaveCount(0)
  })
  const sent = (await messages(page)).slice(2).map(({ data }) => data)
  for (const message of sent) {
    expect(['t', 'on', 'h']).toEqual(expect.arrayContaining(Object.keys(message)))
    if (message.t === 'size') expect(message.h).toBeGreaterThan(0)
    if (message.t === 'size') expect(message.h).toBeLessThanOrEqual(5000)
  }
  expect(JSON.stringify(sent)).not.toContain(handoff.clientSecret)
})

test('asks no buyer to pay whose payment is processing', async ({ page, stack, plainShop }) => {
  const { id, clientSecret } = await createIntent(stack)
  plainShop.respond = () => ''
  await page.clock.install()
  await page.goto(plainShop.origin)
  await playElement(page, `${stack.api.checkoutOrigin}/checkout/${id}`)
  await expect.poll(() => messages(page)).toHaveLength(1)
  await page.evaluate('sendInit()')
  await page.evaluate(`port.postMessage({ t: 'auth', id: '${id}', secret: '${clientSecret}' })`)
  await payWith(page, 'pending')
  const hosted = page.frameLocator('pi-checkout iframe')
  await expect(hosted.getByText('Processing your payment')).toBeVisible()
  await page.clock.runFor(13_000)
  await expect(hosted.getByTestId('result')).toHaveAttribute('data-state', 'processing')
  await page.evaluate(`port.postMessage({ t: 'config', locale: 'en', shop: 'failed' })`)
  const shop = hosted.getByRole('status').filter({ hasText: 'The shop' })
  await expect(shop).toHaveText(
    'The shop has not confirmed your order yet. Do not pay again. Contact the shop.',
  )
})
