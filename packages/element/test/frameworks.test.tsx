import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { SvelteHTMLElements } from 'svelte/elements'
import { expect, expectTypeOf, test } from 'vitest'
import type { GlobalComponents } from 'vue'
import { PiCheckout } from '../src/frameworks/react.ts'
import type { Handoff, PiFinishEvent } from '../src/index.ts'

import '../src/frameworks/svelte.ts'
import '../src/frameworks/vue.ts'

const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }

test('server-rendered React HTML contains neither secret nor id', () => {
  const fetchHandoff = async () => handoff
  const html = renderToString(
    <>
      <PiCheckout handoff={handoff} label="Pay" appearance={{ radius: 4 }} data-testid="checkout">
        <p>Waiting</p>
      </PiCheckout>
      <PiCheckout checkoutOrigin="https://pay.example" fetchHandoff={fetchHandoff} />
      <pi-checkout handoff={handoff} fetchHandoff={fetchHandoff} />
    </>,
  )
  expect(html).toBe(
    '<pi-checkout data-testid="checkout"><p>Waiting</p></pi-checkout>' +
      '<pi-checkout></pi-checkout><pi-checkout></pi-checkout>',
  )
})

test("React's types have the tag and its handlers, and reject the secret alone", () => {
  createElement('pi-checkout', { 'onpi-finish': () => {} })
  const tag = <pi-checkout handoff={handoff} onpi-finish={({ intentId }) => intentId.length} />
  expect(tag.type).toBe('pi-checkout')
  // @ts-expect-error React would print it into server-rendered HTML.
  expect((<pi-checkout clientSecret="x" />).type).toBe('pi-checkout')
})

test("Vue's and Svelte's types have the tag, its values, and its handlers", () => {
  type Vue = InstanceType<GlobalComponents['pi-checkout']>['$props']
  expectTypeOf<Vue['handoff']>().toEqualTypeOf<Handoff | null | undefined>()
  expectTypeOf<NonNullable<Vue['onPiFinish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
  expectTypeOf<Extract<keyof Vue, 'secret' | 'onPiPaid'>>().toEqualTypeOf<never>()
  type Svelte = SvelteHTMLElements['pi-checkout']
  expectTypeOf<Svelte['handoff']>().toEqualTypeOf<Handoff | null | undefined>()
  expectTypeOf<NonNullable<Svelte['onpi-finish']>>().parameter(0).toEqualTypeOf<PiFinishEvent>()
  expectTypeOf<Extract<keyof Svelte, 'secret' | 'onpi-paid'>>().toEqualTypeOf<never>()
})
