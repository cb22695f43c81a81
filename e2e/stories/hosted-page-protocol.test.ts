/**
 * One list of promises, kept by the service's hosted page and by the fake that merchants test with.
 *
 * @module
 */
import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import type { Frame, Page } from '@playwright/test'
import { createIntent } from '../fixtures/api.ts'
import type { Handoff } from '../fixtures/buyer.ts'
import { expect, type Stack, test } from '../fixtures/test-stack.ts'

interface Subject {
  readonly name: string
  prepare(page: Page, stack: Stack): Promise<Handoff>
  /** Brings the page to leave for a bank; it is back when this resolves. */
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

// Functions out of text, which the shop's own policy forbids.
test.use({ bypassCSP: true })

for (const subject of subjects) {
  test(`${subject.name} says hello once for each document, and nothing more until it is answered`, async ({
    page,
    stack,
  }) => {
    await mount(page, { subject, stack })
    await loaded(page)
    const [first] = await heard(page)
    await page.evaluate('frame.src = frame.src')
    await expect.poll(() => heard(page)).toHaveLength(2)
    const [, second] = await heard(page)
    for (const one of [first, second]) {
      expect(one).toEqual({
        by: 'window',
        data: { pi: 'checkout', t: 'hello', v: [1], doc: expect.stringMatching(/^[\w-]{22,64}$/) },
      })
    }
    expect(second?.data.doc).not.toBe(first?.data.doc)
  })

  test(`${subject.name} takes one init alone: from its parent, of its document, in its version, with one port`, async ({
    page,
    stack,
  }) => {
    await mount(page, { subject, stack })
    await expect.poll(() => heard(page)).toHaveLength(1)
    for (const wrong of [
      "{ doc: 'B'.repeat(32) }",
      '{ v: 2 }',
      "{ pi: 'challenge' }",
      '{}, { ports: 0 }',
      '{}, { ports: 2 }',
      '{}, { by: stranger }',
    ]) {
      await page.evaluate(`answer(${wrong})`)
    }
    await page.evaluate('answer()')
    await expect.poll(() => heard(page)).toHaveLength(2)
    await page.evaluate('window.first = port; answer(); first.postMessage({ t: "ping" })')
    await expect.poll(() => words(page)).toEqual(['hello', 'ack', 'pong'])
    const speakers = (await heard(page)).map(({ by }) => by)
    expect(speakers).toEqual(['window', 'port 6', 'port 6'])
  })

  test(`${subject.name} is ready once it has the handoff, in the language that it was told, whatever else it hears`, async ({
    page,
    stack,
  }) => {
    const handoff = await mount(page, { subject, stack })
    await expect.poll(() => heard(page)).toHaveLength(1)
    await page.evaluate(`
      answer()
      const junk = [null, 1, 'ready', [], {}, { t: 'nothing' }, { t: 5 }, { t: 'auth' }, { t: 'config' },
        { t: 'auth', id: 1, secret: {} }, { t: '__proto__' }, { t: 'left' }]
      for (const message of junk) port.postMessage(message)
      port.postMessage({ t: 'ping' })`)
    await expect.poll(() => words(page)).toEqual(['hello', 'ack', 'pong'])
    await introduce(page, { handoff, locale: 'hy-AM' })
    await expect.poll(() => words(page)).toContain('ready')
    const hosted = page.frames()[1] as Frame
    await expect.poll(() => hosted.evaluate('document.documentElement.lang')).toMatch(/^hy/)
    await page.evaluate(`port.postMessage({ t: 'config', locale: 'ru' })`)
    await expect.poll(() => hosted.evaluate('document.documentElement.lang')).toBe('ru')
    for (const { data } of await heard(page)) {
      if (data.t === 'size') expect(data.h).toBeGreaterThan(0)
      if (data.t === 'size') expect(data.h).toBeLessThanOrEqual(5000)
    }
  })

  test(`${subject.name} tells busy from Pay until the outcome and finish once, and neither result nor secret`, async ({
    page,
    stack,
  }) => {
    const handoff = await open(page, { subject, stack })
    await payWith(page, 'declined')
    await expect.poll(() => words(page)).toEqual(['hello', 'ack', 'ready', 'busy', 'idle'])
    await payWith(page, 'success')
    await expect.poll(() => words(page)).toContain('finish')
    expect((await words(page)).slice(5)).toEqual(['busy', 'idle', 'finish'])
    const messages = (await heard(page)).slice(1).map(({ data }) => data)
    for (const message of messages)
      expect(['t', 'on', 'h']).toEqual(expect.arrayContaining(Object.keys(message)))
    expect(JSON.stringify(messages)).not.toContain(handoff.clientSecret)
  })

  test(`${subject.name} tells cancel instead of finish when the buyer leaves on purpose`, async ({
    page,
    stack,
  }) => {
    await open(page, { subject, stack })
    await payWith(page, 'canceled')
    await expect.poll(() => words(page)).toContain('cancel')
    expect(await words(page)).not.toContain('finish')
  })

  test(`${subject.name} asks before it moves the page, and returns to its exact address`, async ({
    page,
    stack,
  }) => {
    await open(page, { subject, stack })
    await page.evaluate(`history.replaceState(null, '', '?note=a%20b&sign=1%2B2~#/pay?step=2')`)
    const address = page.url()
    await subject.leave(page)
    await page.waitForFunction(
      (there) => location.href === there && !Reflect.has(window, 'heard'),
      address,
    )
  })
}

interface Heard {
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A page of the shop's origin that plays the element's part by hand. */
async function mount(
  page: Page,
  { subject, stack }: { readonly subject: Subject; readonly stack: Stack },
): Promise<Handoff> {
  const handoff = await subject.prepare(page, stack)
  // A file of the shop's own, so that the frame stands in a page of that origin, and in no other code.
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }))
  await page.goto('/checkout-origin.js')
  await page.evaluate(`(${playElement})('${stack.api.checkoutOrigin}/checkout/${handoff.id}')`)
  return handoff
}

/** The same, up to the usable form. */
async function open(page: Page, mounting: Parameters<typeof mount>[1]): Promise<Handoff> {
  const handoff = await mount(page, mounting)
  await expect.poll(() => heard(page)).toHaveLength(1)
  await page.evaluate('answer()')
  await introduce(page, { handoff, locale: 'en' })
  await expect.poll(() => words(page)).toContain('ready')
  return handoff
}

async function introduce(
  page: Page,
  { handoff, locale }: { readonly handoff: Handoff; readonly locale: string },
): Promise<void> {
  await page.evaluate(`
    port.postMessage({ t: 'config', locale: ${JSON.stringify(locale)} })
    port.postMessage({ t: 'auth', id: '${handoff.id}', secret: '${handoff.clientSecret}' })`)
}

async function loaded(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('window.loaded')).toBe(true)
}

function heard(page: Page): Promise<Heard[]> {
  return page.evaluate('heard')
}

/** What was said, without the sizes, which come as they like. */
async function words(page: Page): Promise<unknown[]> {
  const said = (await heard(page)).map(({ data: { t, on } }) => (on === false ? 'idle' : t))
  return said.filter((word) => word !== 'size')
}

/** Runs in the shop's page: a frame, what it says, and `answer` for its hello. */
const playElement = `(address) => {
  document.title = 'Shop'
  const heard = []
  const stranger = document.createElement('iframe')
  const frame = document.createElement('iframe')
  let doc, ports = 0
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return
    doc = data.doc
    heard.push({ by: 'window', data })
  })
  const answer = (fields, { ports: count = 1, by = window } = {}) => {
    const channels = Array.from({ length: count }, () => new MessageChannel())
    const name = 'port ' + ports++
    for (const { port1 } of channels) {
      port1.onmessage = ({ data }) => {
        heard.push({ by: name, data })
        if (data.t === 'leave') port1.postMessage({ t: 'left', page: location.href })
      }
    }
    Object.assign(window, { port: channels[0]?.port1 })
    const message = { pi: 'checkout', t: 'init', v: 1, doc, ...fields }
    // A function of the other frame speaks in its name.
    const speak = by.Function('to', 'message', 'ports', "to.postMessage(message, '*', ports)")
    speak(frame.contentWindow, message, channels.map(({ port2 }) => port2))
  }
  frame.title = 'Secure payment form'
  frame.referrerPolicy = 'strict-origin'
  frame.style.cssText = 'width: 100%; height: 900px; border: 0'
  frame.onload = () => { window.loaded = true }
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms allow-top-navigation')
  frame.src = address
  const checkout = document.createElement('pi-checkout')
  checkout.append(frame)
  document.body.replaceChildren(checkout, stranger)
  Object.assign(window, { heard, frame, answer, stranger: stranger.contentWindow })
}`
