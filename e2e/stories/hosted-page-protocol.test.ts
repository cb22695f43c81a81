/** The same promises for the service's hosted page and for the fake with which merchants test. @module */
import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import type { Handoff } from '@pi-checkout/test-support/http-buyer'
import type { Page } from '@playwright/test'
import { createIntent } from '../fixtures/api.ts'
import { test as base, expect } from '../fixtures/decorated-shop.ts'
import type { Stack } from '../fixtures/test-stack.ts'

interface Subject {
  readonly name: string
  prepare(page: Page, stack: Stack): Promise<Handoff>
  /** Redirects the page to the bank, and back. */
  leave(page: Page): Promise<void>
}

const subjects: readonly Subject[] = [
  {
    name: 'the hosted page',
    prepare: (_, stack) => createIntent(stack, { amount: 10_000, currency: 'USD' }),
    leave: (page) => payWith(page, 'redirect'),
  },
  {
    name: 'the fake',
    prepare: async (page, { api }) => {
      const body = fakeHostedPage().html
      await page.route(`${api.checkoutOrigin}/checkout/*`, (route) =>
        route.fulfill({ contentType: 'text/html', body }),
      )
      return { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
    },
    leave: (page) => page.frameLocator('pi-checkout iframe').getByTestId('leave').click(),
  },
]

/** `test` on a merchant's page without a policy: the tests evaluate text. */
const test = base.extend({
  baseURL: async ({ decorated }, use) => use(decorated.publish([])),
})

for (const subject of subjects) {
  test(`${subject.name} sends hello once for each document, and waits for init`, async ({
    page,
    stack,
  }) => {
    await mount(page, { subject, stack })
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

  test(`${subject.name} accepts one valid init from its parent`, async ({ page, stack }) => {
    await mount(page, { subject, stack })
    await expect.poll(() => messages(page)).toHaveLength(1)
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
    await expect.poll(() => messages(page)).toHaveLength(2)
    await page.evaluate('window.first = port; sendInit(); first.postMessage({ t: "ping" })')
    await expect.poll(() => messageTypes(page)).toEqual(['hello', 'ack', 'pong'])
    const senders = (await messages(page)).map(({ by }) => by)
    expect(senders).toEqual(['window', 'port 6', 'port 6'])
  })

  test(`${subject.name} is ready after auth, in the configured language, and ignores other messages`, async ({
    page,
    stack,
  }) => {
    const handoff = await mount(page, { subject, stack })
    await expect.poll(() => messages(page)).toHaveLength(1)
    await page.evaluate(`
      sendInit()
      const junk = [null, 1, 'ready', [], {}, { t: 'nothing' }, { t: 5 }, { t: 'auth' }, { t: 'config' },
        { t: 'auth', id: 1, secret: {} }, { t: '__proto__' }, { t: 'left' }]
      for (const message of junk) port.postMessage(message)
      port.postMessage({ t: 'ping' })`)
    await expect.poll(() => messageTypes(page)).toEqual(['hello', 'ack', 'pong'])
    await authenticate(page, { handoff, locale: 'hy-AM' })
    await expect.poll(() => messageTypes(page)).toContain('ready')
    const hosted = page.frameLocator('pi-checkout iframe').locator('html')
    await expect(hosted).toHaveAttribute('lang', /^hy/)
    await page.evaluate(`port.postMessage({ t: 'config', locale: 'ru' })`)
    await expect(hosted).toHaveAttribute('lang', 'ru')
    for (const { data } of await messages(page)) {
      if (data.t === 'size') expect(data.h).toBeGreaterThan(0)
      if (data.t === 'size') expect(data.h).toBeLessThanOrEqual(5000)
    }
  })

  test(`${subject.name} is busy from Pay until the outcome, and sends finish without result or secret`, async ({
    page,
    stack,
  }) => {
    const handoff = await open(page, { subject, stack })
    await payWith(page, 'declined')
    await expect.poll(() => messageTypes(page)).toEqual(['hello', 'ack', 'ready', 'busy', 'idle'])
    await payWith(page, 'succeeded')
    await expect.poll(() => messageTypes(page)).toContain('finish')
    expect((await messageTypes(page)).slice(5)).toEqual(['busy', 'idle', 'finish'])
    const sent = (await messages(page)).slice(1).map(({ data }) => data)
    for (const message of sent)
      expect(['t', 'on', 'h']).toEqual(expect.arrayContaining(Object.keys(message)))
    expect(JSON.stringify(sent)).not.toContain(handoff.clientSecret)
  })

  test(`${subject.name} sends cancel instead of finish when the buyer cancels`, async ({
    page,
    stack,
  }) => {
    await open(page, { subject, stack })
    await payWith(page, 'canceled')
    await expect.poll(() => messageTypes(page)).toContain('cancel')
    expect(await messageTypes(page)).not.toContain('finish')
  })

  test(`${subject.name} asks before a redirect, and returns to the exact address`, async ({
    page,
    stack,
  }) => {
    await open(page, { subject, stack })
    await page.evaluate(`history.replaceState(null, '', '?note=a%20b&sign=1%2B2~#/pay?step=2')`)
    const address = page.url()
    await subject.leave(page)
    await page.waitForFunction(
      (there) => location.href === there && !Reflect.has(window, 'messages'),
      address,
    )
  })
}

interface ReceivedMessage {
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Makes the merchant's page implement the element's side of the protocol. */
async function mount(
  page: Page,
  { subject, stack }: { readonly subject: Subject; readonly stack: Stack },
): Promise<Handoff> {
  const handoff = await subject.prepare(page, stack)
  await page.goto('')
  await page.evaluate(`(${playElement})('${stack.api.checkoutOrigin}/checkout/${handoff.id}')`)
  return handoff
}

/** Mounts the frame and waits until the form is ready. */
async function open(page: Page, mounting: Parameters<typeof mount>[1]): Promise<Handoff> {
  const handoff = await mount(page, mounting)
  await expect.poll(() => messages(page)).toHaveLength(1)
  await page.evaluate('sendInit()')
  await authenticate(page, { handoff, locale: 'en' })
  await expect.poll(() => messageTypes(page)).toContain('ready')
  return handoff
}

async function authenticate(
  page: Page,
  { handoff, locale }: { readonly handoff: Handoff; readonly locale: string },
): Promise<void> {
  await page.evaluate(`
    port.postMessage({ t: 'config', locale: ${JSON.stringify(locale)} })
    port.postMessage({ t: 'auth', id: '${handoff.id}', secret: '${handoff.clientSecret}' })`)
}

function messages(page: Page): Promise<ReceivedMessage[]> {
  return page.evaluate('messages')
}

/** Returns the types of the messages, without sizes. */
async function messageTypes(page: Page): Promise<unknown[]> {
  const types = (await messages(page)).map(({ data: { t, on } }) => (on === false ? 'idle' : t))
  return types.filter((type) => type !== 'size')
}

/** Runs in the shop's page: the frame, its messages, and `sendInit` for its hello. */
const playElement = `(address) => {
  document.title = 'Shop'
  const messages = []
  const other = document.createElement('iframe')
  const frame = document.createElement('iframe')
  let doc, ports = 0
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return
    doc = data.doc
    messages.push({ by: 'window', data })
  })
  const sendInit = (fields, { ports: count = 1, by = window } = {}) => {
    const channels = Array.from({ length: count }, () => new MessageChannel())
    const name = 'port ' + ports++
    for (const { port1 } of channels) {
      port1.onmessage = ({ data }) => {
        messages.push({ by: name, data })
        if (data.t === 'leave') port1.postMessage({ t: 'left', page: location.href })
      }
    }
    Object.assign(window, { port: channels[0]?.port1 })
    const message = { pi: 'checkout', t: 'init', v: 1, doc, ...fields }
    // A function of the other frame is its sender.
    const send = by.Function('to', 'message', 'ports', "to.postMessage(message, '*', ports)")
    send(frame.contentWindow, message, channels.map(({ port2 }) => port2))
  }
  frame.title = 'Secure payment form'
  frame.referrerPolicy = 'strict-origin'
  frame.style.cssText = 'width: 100%; height: 900px; border: 0'
  frame.onload = () => { window.loaded = true }
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms allow-top-navigation')
  frame.src = address
  const checkout = document.createElement('pi-checkout')
  checkout.append(frame)
  document.body.replaceChildren(checkout, other)
  Object.assign(window, { messages, frame, sendInit, otherFrame: other.contentWindow })
}`
