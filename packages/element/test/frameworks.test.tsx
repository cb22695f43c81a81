import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { SvelteHTMLElements } from 'svelte/elements'
import { expect, expectTypeOf, test } from 'vitest'
import type { GlobalComponents } from 'vue'
import { settings } from '../src/configure-checkout.ts'
import { PiCheckout } from '../src/frameworks/react.ts'
import type { Handoff, PiPhaseEvent } from '../src/index.ts'

import '../src/frameworks/svelte.ts'
import '../src/frameworks/vue.ts'

const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }

test('server-rendered React HTML has the attributes, and neither secret nor id', () => {
  const fetchHandoff = async () => handoff
  const html = renderToString(
    <>
      <PiCheckout basePath="/checkout" orderId="A-1" handoff={handoff} className="pay">
        <p>Waiting</p>
      </PiCheckout>
      <PiCheckout checkoutOrigin="https://pay.example" fetchHandoff={fetchHandoff} orderId="" />
      <pi-checkout base-path="/checkout" handoff={handoff} fetchHandoff={fetchHandoff} />
    </>,
  )
  expect(html).toBe(
    '<pi-checkout class="pay" base-path="/checkout" order-id="A-1"><p>Waiting</p></pi-checkout>' +
      '<pi-checkout order-id=""></pi-checkout><pi-checkout base-path="/checkout"></pi-checkout>',
  )
  // A process serves many pages.
  expect(settings).toEqual({})
})

test("React's types have the tag and its handlers, and reject the secret alone", () => {
  createElement('pi-checkout', { 'onpi-phase': () => {} })
  const tag = <pi-checkout handoff={handoff} onpi-phase={({ phase }) => phase.length} />
  expect(tag.type).toBe('pi-checkout')
  // @ts-expect-error React would print it into server-rendered HTML.
  expect((<pi-checkout clientSecret="x" />).type).toBe('pi-checkout')
})

test('a function in React needs an order, because each render may have another function', () => {
  // @ts-expect-error Without an id, another function could be for another order.
  const element = <PiCheckout fetchHandoff={async () => handoff} />
  expect(() => renderToString(element)).toThrow(/^orderId: fetchHandoff needs it/)
})

test("Vue's and Svelte's types have the tag, its values, and its handlers", () => {
  type Vue = InstanceType<GlobalComponents['pi-checkout']>['$props']
  expectTypeOf<Vue['handoff']>().toEqualTypeOf<Handoff | null | undefined>()
  expectTypeOf<NonNullable<Vue['onPiPhase']>>().parameter(0).toEqualTypeOf<PiPhaseEvent>()
  expectTypeOf<Extract<keyof Vue, 'secret' | 'onPiPaid'>>().toEqualTypeOf<never>()
  type Svelte = SvelteHTMLElements['pi-checkout']
  expectTypeOf<Svelte['handoff']>().toEqualTypeOf<Handoff | null | undefined>()
  expectTypeOf<NonNullable<Svelte['onpi-phase']>>().parameter(0).toEqualTypeOf<PiPhaseEvent>()
  expectTypeOf<Extract<keyof Svelte, 'secret' | 'onpi-paid'>>().toEqualTypeOf<never>()
})
