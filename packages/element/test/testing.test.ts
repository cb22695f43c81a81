import { expect, test } from 'vitest'
import { fakeHostedPage, type PaymentOutcome, payWith } from '../src/testing.ts'
import { eventsOf, expectEvent, mountImmediately, prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()

test.each<[PaymentOutcome, string]>([
  ['success', 'paid'],
  ['challenge', 'paid'],
  ['stolen', 'failed'],
  ['slow', 'processing'],
  ['pending', 'processing'],
])('payWith %s sees the payment through to the result "%s"', async (outcome, state) => {
  const page = await sites.openShop()
  await payWith(page, outcome)
  await expectEvent(page, 'pi-finish')
  const result = page.frameLocator('iframe').getByTestId('result')
  expect(await result.getAttribute('data-state')).toBe(state)
})

test.each<PaymentOutcome>([
  'declined',
  'insufficient-funds',
  'lost',
  'expired',
  'wrong-cvc',
  'processing-error',
  'challenge-denied',
  'challenge-error',
  'challenge-canceled',
  'challenge-declined',
  'challenge-insufficient-funds',
  'challenge-unavailable',
])('payWith %s shows the reason, and the second try pays', async (outcome) => {
  const page = await sites.openShop()
  await payWith(page, outcome)
  expect(await eventsOf(page)).not.toContain('pi-finish')
  await payWith(page, 'success')
  await expectEvent(page, 'pi-finish')
})

test('payWith canceled leaves the form on purpose', async () => {
  const page = await sites.openShop()
  await payWith(page, 'canceled')
  await expectEvent(page, 'pi-cancel')
})

test('payWith says at once why there is no form to fill in', async () => {
  const page = await sites.openShop({ script: mountImmediately.replace("'pi_1'", "'no id'") })
  await expect(payWith(page, 'success')).rejects.toThrow(/invalid_values/)
})

test('payWith names the outcomes that it knows when it is given another', async () => {
  const page = await sites.openShop()
  await expect(payWith(page, 'sucess' as PaymentOutcome)).rejects.toThrow(
    /^outcome: must be one of success, declined,/,
  )
})

test('the fake is served by any server that speaks fetch', async () => {
  const { fetch, html } = fakeHostedPage()
  const page = await fetch(new Request('https://pay.example/checkout/pi_1'))
  expect([page.status, await page.text()]).toEqual([200, html])
  const other = await fetch(new Request('https://pay.example/elsewhere'))
  expect(other.status).toBe(404)
})

test('the fake shows that a secret came, never the secret', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  expect(await page.frames()[1]?.content()).not.toContain('pi_1_secret_x')
})

test('steps cannot end the script that they stand in', () => {
  const { html } = fakeHostedPage({ steps: [{ fail: '</script><script>alert(1)' }] })
  expect(html).not.toContain('</script><script>')
})

test("the fake keeps the hosted page's rules: one init, of its own document, with one port", async () => {
  const page = await sites.openShop({
    body: '<iframe id="bare" title="Hosted"></iframe>',
    script: `
      window.heard = []
      let answered = false
      addEventListener('message', async ({ source, origin, data }) => {
        heard.push(['window', data.t, Object.keys(data).sort().join()])
        if (answered) return
        answered = true
        const wait = () => new Promise((resolve) => setTimeout(resolve, 50))
        const init = async (name, doc, ports) => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = ({ data }) => heard.push([name, data.t])
          const message = { pi: 'checkout', t: 'init', v: 1, doc }
          source.postMessage(message, origin, ports ? [port2] : [])
          await wait()
          return port1
        }
        await init('other document', 'B'.repeat(32), true)
        await init('no port', data.doc, false)
        const port = await init('first', data.doc, true)
        await init('second', data.doc, true)
        port.postMessage({ t: 'ping' })
        port.postMessage({ t: 'auth', id: 'pi_1', secret: 'pi_1_secret_x' })
      })
      bare.src = PAY + '/checkout/pi_1'`,
  })
  // Ready comes last: whatever the other inits had brought about would stand before it.
  const heard = () => page.evaluate(() => Reflect.get(window, 'heard'))
  await expect.poll(heard).toContainEqual(['first', 'ready'])
  expect(await heard()).toEqual([
    ['window', 'hello', 'doc,pi,t,v'],
    ['first', 'ack'],
    ['first', 'pong'],
    ['first', 'ready'],
  ])
})
