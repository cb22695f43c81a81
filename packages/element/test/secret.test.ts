import { expect, test } from 'vitest'
import {
  configure,
  mountDirectly,
  setValues,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()
const secret = 'pi_1_secret_x'

test('the secret is in no URL, header, DOM, storage, event, error, or console line (threat 45)', async () => {
  const requests: string[] = []
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy', 'idle', { size: 700 }, 'finish', { fail: 'internal' }] },
    prepare: (opened) => {
      opened.on('request', (request) =>
        requests.push(request.url(), JSON.stringify(request.headers())),
      )
      return opened.addInitScript(`
        window.events = []
        for (const type of ['statechange', 'ready', 'finish', 'error']) {
          document.addEventListener('pi-' + type, (event) => events.push(event))
        }`)
    },
  })
  await waitForEvent(page, 'pi-finish')
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
  'removes a %s attribute in the same task, and mounts',
  async (name) => {
    const page = await sites.openShop({
      script: `${configure}
        pay.intentId = 'pi_1'
        pay.setAttribute('${name}', 'pi_1_secret_x')
        window.html = pay.outerHTML`,
    })
    await waitForEvent(page, 'pi-ready')
    expect(await page.evaluate('html')).not.toContain(secret)
    expect(await textInFrame(page, 'secret')).toBe('yes')
  },
)

test('mounts from attributes alone, as frameworks print them into HTML', async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay" intentid="pi_1" clientsecret="${secret}"></pi-checkout>`,
    script: configure,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await page.content()).not.toContain(secret)
})

test('rejects a secret API key with a fixed message that does not repeat it (threat 55)', async () => {
  const page = await sites.openShop({
    script: `${configure}
      pay.intentId = 'pi_1'
      window.errors = ['pi_sk_test_abc', 5, {}].map((value) => {
        try { pay.clientSecret = value } catch (error) { return String(error) }
      })`,
  })
  expect(await page.evaluate('errors')).toEqual([
    'TypeError: clientSecret: must not be a secret API key. Pass the clientSecret of a handoff',
    'TypeError: clientSecret: must be a string or null',
    'TypeError: clientSecret: must be a string or null',
  ])
  await waitForState(page, 'idle')
})

test('never sends the secret of one id for another id', async () => {
  const page = await sites.openShop({
    script: `${mountDirectly}
      pay.addEventListener('pi-ready', () => { pay.intentId = 'pi_2' }, { once: true })`,
  })
  await waitForEvent(page, 'pi-ready')
  await waitForState(page, 'idle')
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  await setValues(page, { clientSecret: 'pi_2_secret_y' })
  await waitForState(page, 'ready')
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_2'])
})
