import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { SvelteHTMLElements } from 'svelte/elements'
import { expect, expectTypeOf, test } from 'vitest'
import type { GlobalComponents } from 'vue'
import { Checkout } from '../samples/react.tsx'
import type { PiFinishEvent } from '../src/index.ts'
import { PiCheckout } from '../src/react.ts'
import { eventsOf, expectEvent, prepareTestSites } from './browser/test-sites.ts'

import '../src/svelte.ts'
import '../src/vue.ts'

const sites = prepareTestSites()
const once = ['pi-statechange loading', 'pi-statechange ready', 'pi-ready']

function sample(name: string): string {
  return `import { start } from '/${name}.js'; start(document.getElementById('root'), PAY)`
}

test.each(['react', 'vue', 'svelte'])(
  'the %s sample mounts one frame and expectEvent pi-finish',
  async (name) => {
    const page = await sites.openShop({ body: '<div id="root"></div>', script: sample(name) })
    await expectEvent(page, 'pi-ready')
    expect(await eventsOf(page)).toEqual(once)
    expect(await page.locator('iframe').count()).toBe(1)
    expect(sites.requests).toEqual(['/checkout/pi_1'])
    expect(await page.content()).not.toContain('pi_1_secret_x')
    await page.frameLocator('iframe').getByTestId('finish').click()
    await expect.poll(() => page.locator('output').textContent()).toBe('pi_1')
  },
)

test('server-rendered React HTML hydrates without a word and mounts one frame', async () => {
  const html = renderToString(<Checkout />)
  const page = await sites.openShop({
    body: `<div id="root">${html}</div>`,
    script: sample('react'),
  })
  await expectEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toEqual(once)
  expect(await page.locator('#pay').getAttribute('class')).toBe('checkout')
})

test('server-rendered React HTML holds no secret, and no id', () => {
  const html = renderToString(
    <PiCheckout intentId="pi_1" clientSecret="pi_1_secret_x" label="Pay" data-testid="checkout">
      <p>Waiting</p>
    </PiCheckout>,
  )
  expect(html).toBe('<pi-checkout data-testid="checkout"><p>Waiting</p></pi-checkout>')
})

test('React knows the tag and its handlers, and refuses the secret in markup', () => {
  createElement('pi-checkout', { 'onpi-finish': () => {} })
  const tag = <pi-checkout intentId="pi_1" onpi-finish={({ intentId }) => intentId.length} />
  expect(tag.type).toBe('pi-checkout')
  // @ts-expect-error React would print it into server-rendered HTML.
  expect((<pi-checkout clientSecret="x" />).type).toBe('pi-checkout')
})

test('Vue and Svelte know the tag, its values and its handlers', () => {
  type Vue = InstanceType<GlobalComponents['pi-checkout']>['$props']
  expectTypeOf<Vue['clientSecret']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<NonNullable<Vue['onPiFinish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
  type Svelte = SvelteHTMLElements['pi-checkout']
  expectTypeOf<Svelte['clientSecret']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<NonNullable<Svelte['onpi-finish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
})
