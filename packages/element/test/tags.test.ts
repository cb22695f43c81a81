import { expect, test } from 'vitest'
import { fakeHostedPage, payWith } from '../src/testing/index.ts'
import { configure, eventsOf, startSites, waitForEvent, waitForState } from './support/sites.ts'

const sites = startSites()

test('two checkouts of two merchants with different origins on one page both pay', async () => {
  const requested: string[] = []
  sites.respondAsAttacker = (path) => {
    if (path.startsWith('/checkout/')) requested.push(path)
    return { body: fakeHostedPage().html }
  }
  const page = await sites.openShop({
    body: '<pi-checkout id="pay"></pi-checkout><acme-checkout id="acme"></acme-checkout>',
    script: `${configure}
      defineCheckout({ tag: 'acme-checkout', checkoutOrigin: '${sites.attacker}' })
      window.finished = []
      addEventListener('pi-finish', ({ intentId, target }) => finished.push([target.id, intentId]))
      acme.handoff = { id: 'pi_2', clientSecret: 'pi_2_secret_y' }
      pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }`,
  })
  await payWith(page.locator('#acme'), 'succeeded')
  await payWith(page.locator('#pay'), 'challenge')
  await expect
    .poll(() => page.evaluate('finished'))
    .toEqual([
      ['acme', 'pi_2'],
      ['pay', 'pi_1'],
    ])
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  expect(requested).toEqual(['/checkout/pi_2'])
})

const setHandoff = "pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }"
const script = "await import(PAY + '/v1/pi-checkout.js')"

test.each([
  ['a bundled copy without an origin', `import '/react.js'; ${setHandoff}; ${script}`],
  ['a bundled copy with the same origin', `${configure}; ${setHandoff}; ${script}`],
])('%s and the script of the checkout work together', async (_, content) => {
  // The first mount may come before the script.
  const page = await sites.openShop({ script: `${content}; pay.reload()` })
  await waitForEvent(page, 'pi-ready')
  await waitForState(page, 'ready')
})

test('a bundled copy with another origin makes the script of the checkout throw', async () => {
  const page = await sites.openShop({
    script: `
      import { defineCheckout } from '/shop.js'
      defineCheckout({ checkoutOrigin: 'https://other.example' })
      window.failure = await ${script.slice(6)}.catch(String)`,
  })
  await expect
    .poll(() => page.evaluate('window.failure'))
    .toBe(
      'TypeError: checkoutOrigin: the tag already has https://other.example. Define another tag',
    )
  expect(await eventsOf(page)).toEqual([])
})
