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

test.each([
  ['an attribute', 'client-secret'],
  ['an attribute', 'clientsecret'],
  ['an attribute', 'CLIENT-SECRET'],
  ['the HTML of a framework', 'clientsecret'],
])('removes the secret of %s, %s, and mounts', async (from, name) => {
  const isHtml = from !== 'an attribute'
  const page = await sites.openShop({
    ...(isHtml && {
      body: `<pi-checkout id="pay" intentid="pi_1" ${name}="${secret}"></pi-checkout>`,
    }),
    script: `${configure}
      ${isHtml ? '' : `pay.intentId = 'pi_1'; pay.setAttribute('${name}', '${secret}')`}
      window.html = pay.outerHTML`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await page.evaluate('html')).not.toContain(secret)
  expect(await textInFrame(page, 'secret')).toBe('yes')
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
