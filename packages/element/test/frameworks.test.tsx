import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { SvelteHTMLElements } from 'svelte/elements'
import { expect, expectTypeOf, test } from 'vitest'
import type { GlobalComponents } from 'vue'
import { PiCheckout } from '../src/frameworks/react.ts'
import type { PiFinishEvent } from '../src/index.ts'
import { Checkout } from './support/react-page.tsx'
import { eventsOf, readyEvents, startSites, waitForEvent } from './support/sites.ts'

import '../src/frameworks/svelte.ts'
import '../src/frameworks/vue.ts'

const sites = startSites()
const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }

test.each([
  ['renders', ''],
  ['hydrates', renderToString(<Checkout />)],
])(
  'a page that React %s mounts one frame, and shows the phase after pi-finish',
  async (_, html) => {
    let handoffs = 0
    const page = await sites.openShop({
      body: `<div id="root">${html}</div>`,
      script: `import { start } from '/react.js'; start(document.getElementById('root'), PAY)`,
      prepare: (opened) =>
        opened.on('request', (request) => {
          if (request.url().endsWith('/checkout/handoff')) handoffs++
        }),
    })
    await waitForEvent(page, 'pi-ready')
    expect(await eventsOf(page)).toEqual(readyEvents)
    expect(await page.locator('iframe').count()).toBe(1)
    expect(await page.locator('#pay').getAttribute('class')).toBe('checkout')
    expect(sites.requests).toEqual(['/checkout/pi_1'])
    expect(handoffs).toBe(1)
    expect(await page.content()).not.toContain('pi_1_secret_x')
    await page.frameLocator('iframe').getByTestId('finish').click()
    await expect.poll(() => page.locator('output').textContent()).toBe('paid')
  },
)

test('server-rendered React HTML contains neither secret nor id', () => {
  const html = renderToString(
    <>
      <PiCheckout
        intentId="pi_1"
        clientSecret="pi_1_secret_x"
        label="Pay"
        appearance={{ accent: '#ad4318' }}
        data-testid="checkout"
      >
        <p>Waiting</p>
      </PiCheckout>
      <PiCheckout
        tag="acme-checkout"
        checkoutOrigin="https://pay.example"
        handoff={handoff}
        fetchHandoff={async () => handoff}
      />
      <pi-checkout handoff={handoff} fetchHandoff={async () => handoff} />
    </>,
  )
  expect(html).toBe(
    '<pi-checkout data-testid="checkout"><p>Waiting</p></pi-checkout>' +
      '<acme-checkout></acme-checkout><pi-checkout></pi-checkout>',
  )
})

test("React's types have the tag and its handlers, and reject the secret in markup", () => {
  createElement('pi-checkout', { 'onpi-finish': () => {} })
  const tag = <pi-checkout intentId="pi_1" onpi-finish={({ intentId }) => intentId.length} />
  expect(tag.type).toBe('pi-checkout')
  // @ts-expect-error React would print it into server-rendered HTML.
  expect((<pi-checkout clientSecret="x" />).type).toBe('pi-checkout')
})

test("Vue's and Svelte's types have the tag, its values, and its handlers", () => {
  type Vue = InstanceType<GlobalComponents['pi-checkout']>['$props']
  expectTypeOf<Vue['clientSecret']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<NonNullable<Vue['onPiFinish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
  type Svelte = SvelteHTMLElements['pi-checkout']
  expectTypeOf<Svelte['clientSecret']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<NonNullable<Svelte['onpi-finish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
})
