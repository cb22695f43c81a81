import { expect, test } from 'vitest'
import {
  expectEvent,
  expectState,
  mountImmediately,
  prepareTestSites,
} from './browser/test-sites.ts'

const sites = prepareTestSites()
const secret = 'pi_1_secret_x'

test('the secret is in no URL, DOM, attribute, name, storage, timing entry, event, error or console line (threat 45)', async () => {
  const requests: string[] = []
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy', 'idle', { size: 700 }, 'finish', { fail: 'internal' }] },
    prepare: async (opened) => {
      opened.on('request', (request) =>
        requests.push(request.url(), JSON.stringify(request.headers())),
      )
      await opened.addInitScript(() => {
        const events: unknown[] = []
        Object.assign(window, { events })
        for (const type of ['statechange', 'ready', 'finish', 'error']) {
          document.addEventListener(`pi-${type}`, (event) => events.push(event))
        }
      })
    },
  })
  await expectEvent(page, 'pi-finish')
  const seen = await page.evaluate(() => {
    const pay = document.getElementById('pay') as unknown as HTMLElement & Record<string, unknown>
    const values = (holder: object): unknown[] => {
      const found: unknown[] = []
      for (const key in holder) found.push(key, String(Reflect.get(holder, key)))
      return found
    }
    return JSON.stringify([
      document.documentElement.outerHTML,
      pay.shadowRoot?.innerHTML,
      values(pay),
      Object.getOwnPropertyNames(pay).map((key) => String(pay[key])),
      values(pay.shadowRoot?.querySelector('iframe') ?? {}),
      (Reflect.get(window, 'events') as object[]).map(values),
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      window.name,
      location.href,
      history.state,
      performance.getEntries(),
      pay.clientSecret,
    ])
  })
  expect(seen).toContain('pi_1')
  expect(seen).not.toContain(secret)
  expect(requests.join('\n')).toContain('/checkout/pi_1')
  expect(requests.join('\n')).not.toContain(secret)
})

test.each(['client-secret', 'clientsecret', 'clientSecret', 'CLIENT-SECRET'])(
  'a %s attribute is gone in the same task and still mounts',
  async (name) => {
    const page = await sites.openShop({
      script: `
        import { configureCheckout } from '/shop.js'
        configureCheckout({ origin: PAY })
        pay.intentId = 'pi_1'
        pay.setAttribute('${name}', 'pi_1_secret_x')
        window.html = pay.outerHTML`,
    })
    await expectEvent(page, 'pi-ready')
    expect(await page.evaluate(() => Reflect.get(window, 'html'))).not.toContain(secret)
    expect(await page.frameLocator('iframe').getByTestId('secret').textContent()).toBe('yes')
  },
)

test('attributes alone mount, as frameworks print them into HTML', async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay" intentid="pi_1" clientsecret="${secret}"></pi-checkout>`,
    script: `import { configureCheckout } from '/shop.js'; configureCheckout({ origin: PAY })`,
  })
  await expectEvent(page, 'pi-ready')
  expect(await page.content()).not.toContain(secret)
})

test('a secret API key is refused by a fixed text that does not repeat it, and mounts nothing (threat 55)', async () => {
  const page = await sites.openShop({
    script: `
      import { configureCheckout } from '/shop.js'
      configureCheckout({ origin: PAY })
      pay.intentId = 'pi_1'
      window.refusals = ['pi_sk_test_abc', 5, {}].map((value) => {
        try { pay.clientSecret = value } catch (error) { return String(error) }
      })`,
  })
  expect(await page.evaluate(() => Reflect.get(window, 'refusals'))).toEqual([
    'TypeError: clientSecret: is a secret API key; give the clientSecret of a handoff',
    'TypeError: clientSecret: must be a string or null',
    'TypeError: clientSecret: must be a string or null',
  ])
  expect(
    await page.evaluate(() => Reflect.get(document.getElementById('pay') ?? {}, 'state')),
  ).toBe('idle')
})

test('another id without its secret never sends the old one', async () => {
  const page = await sites.openShop({
    script: `${mountImmediately}
      pay.addEventListener('pi-ready', () => { pay.intentId = 'pi_2' }, { once: true })`,
  })
  await expectEvent(page, 'pi-ready')
  await expectState(page, 'idle')
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  await page.evaluate(() => {
    Object.assign(document.getElementById('pay') ?? {}, { clientSecret: 'pi_2_secret_y' })
  })
  await expectState(page, 'ready')
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_2'])
})
