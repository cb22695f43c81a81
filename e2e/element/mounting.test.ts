import {
  configure,
  eventsOf,
  expect,
  readyEvents,
  test,
  textInFrame,
  waitForEvent,
} from '../fixtures/element-sites.ts'

const element = '<pi-checkout id="pay"></pi-checkout>'
const handoff = "{ id: 'pi_1', clientSecret: 'pi_1_secret_x', replayed: true }"
const setHandoff = `pay.handoff = ${handoff}`
const setFetchHandoff = `pay.fetchHandoff = async () => (${handoff})`

test('mounts the hosted page from the two values, and keeps no secret', async ({ page, sites }) => {
  const { origin: attacker } = sites.attacker
  for (const [name, script, body = element] of [
    ['handoff', `${configure}; ${setHandoff}`],
    ['handoff before the definition', configure, `${element}<script>${setHandoff}</script>`],
    ['fetchHandoff', `${configure}; ${setFetchHandoff}`],
    [
      'fetchHandoff before the definition',
      configure,
      `${element}<script>${setFetchHandoff}</script>`,
    ],
    [
      'handoff long before the configuration',
      configure.replace(/configureCheckout\(.*\)/, `setTimeout(() => $&, 300); ${setHandoff}`),
    ],
    [
      'the file that the checkout serves',
      `await import(PAY + '/v1/pi-checkout.js'); ${setHandoff}`,
    ],
    [
      'attributes and a meta tag that name another host',
      `${configure}; ${setHandoff}`,
      `<meta name="pi-checkout-origin" content="${attacker}">
        <pi-checkout id="pay" origin="${attacker}" src="${attacker}" host="${attacker}"></pi-checkout>`,
    ],
  ] as const) {
    await test.step(name, async () => {
      const before = sites.requests.length
      await sites.openShop({ body, script })
      await waitForEvent(page, 'pi-ready')
      expect(await eventsOf(page)).toEqual(readyEvents)
      const requested = sites.requests.slice(before).filter((path) => !path.endsWith('.js'))
      expect(requested).toEqual(['/checkout/pi_1'])
      const src = await page.locator('iframe').getAttribute('src')
      expect(src).toBe(`${sites.checkout.origin}/checkout/pi_1`)
      expect(await textInFrame(page, 'secret')).toBe('yes')
      expect(await page.evaluate('pay.handoff')).toBeNull()
      if (script.includes(setHandoff)) {
        const values = await page.evaluate(readValues)
        expect(values).toContain('handoff')
        expect(values).not.toContain('pi_1_secret_x')
      }
      if (body === element) expect(await page.content()).not.toContain('pi_1_secret_x')
    })
  }
})

/** Runs in the page: returns all that scripts can read of the element. */
function readValues(): string {
  const pay = document.querySelector('pi-checkout') as HTMLElementTagNameMap['pi-checkout']
  const names = [pay, Object.getPrototypeOf(pay)].flatMap(Object.getOwnPropertyNames)
  for (const name in pay) names.push(name)
  const text = names.map((name) => String(Reflect.get(pay, name)))
  return [...names, ...text, pay.shadowRoot?.innerHTML].join()
}

test('sends no port or secret to a frame that left the checkout', async ({ page, sites }) => {
  const hello =
    "parent.postMessage({ pi: 'checkout', t: 'hello', v: [1], doc: 'A'.repeat(32) }, '*')"
  // The second message arrives after the first one was handled.
  sites.attacker.respond = () => `<script>
      ${hello}
      addEventListener('message', ({ ports }) => { document.title = 'received ' + ports.length })
      parent.postMessage('after the hello', '*')
    </script>`
  await page.addInitScript(`
    if (top === window)
      addEventListener('message', ({ data }) => { if (data === 'after the hello') window.handled = true })`)
  await sites.openShop({
    hosted: () =>
      `<script>${hello}; location.href = ${JSON.stringify(sites.attacker.origin)}</script>`,
  })
  await expect.poll(() => page.evaluate('window.handled')).toBe(true)
  const frame = page.frames()[1]
  expect(frame?.url()).toBe(`${sites.attacker.origin}/`)
  // Whatever the element sent to it has arrived before this.
  await frame?.evaluate('new Promise((resolve) => setTimeout(resolve))')
  expect(await frame?.title()).toBe('Prizes')
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
})
