import type { IncomingMessage } from 'node:http'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import { expectTypeOf, test } from 'vitest'
import { toNode } from '../src/frameworks/node.ts'
import {
  type AuthorizeQuery,
  type Checkout,
  type CheckoutOptions,
  type CheckoutOrder,
  createCheckout,
  memoryPayments,
  type Payment,
  PaymentIntents,
  type PaymentStore,
  type PiError,
  type ReviewReason,
} from '../src/index.ts'

const intents = new PaymentIntents({ apiKey: 'key-of-a-test', baseUrl: 'http://127.0.0.1:1' })
const shopOrigin = 'https://shop.example'
const hooks = {
  authorize: () => undefined,
  order: () => undefined,
  payments: memoryPayments(),
  onPaid: () => true,
}

test('hooks need no annotation but the context of authorize', () => {
  const plain = createCheckout({ intents, shopOrigin, ...hooks })
  expectTypeOf(plain).toEqualTypeOf<Checkout>()
  expectTypeOf(plain).toBeCallableWith(new Request(shopOrigin))
  expectTypeOf(toNode(plain)).toExtend<RequestHandler>()
  expectTypeOf(toNode(plain)).parameter(0).toEqualTypeOf<IncomingMessage>()
  const inExpress = createCheckout({
    ...hooks,
    intents,
    shopOrigin,
    authorize: ({ orderId, context: req }: AuthorizeQuery<ExpressRequest>) =>
      req.path ? orderId : undefined,
    order: (orderId) => ({ orderId, amount: 1, currency: 'AMD' }),
    onReview: ({ payment, reason }) => {
      expectTypeOf(payment).toEqualTypeOf<Payment>()
      expectTypeOf(reason).toEqualTypeOf<ReviewReason>()
    },
  })
  expectTypeOf(toNode(inExpress)).toExtend<RequestHandler>()
  // @ts-expect-error: the hook needs a context.
  void (() => inExpress(new Request(shopOrigin)))
})

test('options and fields may be undefined or null, as from environments and databases', () => {
  void (() => new PaymentIntents({ apiKey: undefined, timeout: undefined }))
  const customer = { id: 'c1', email: undefined, name: null }
  const params = { orderId: 'A-1', amount: 1999, currency: 'usd', customer } as const
  void (() => intents.create(params, { attempt: undefined, totalTimeout: undefined }))
  const order = () => ({ ...params, metadata: undefined, version: undefined })
  const unset = { basePath: undefined, onError: undefined, onReview: undefined }
  createCheckout({ intents, shopOrigin, ...hooks, order, ...unset })
})

test('a checkout without a required hook, or with a misspelt option, does not compile', () => {
  const options = { intents, shopOrigin, ...hooks }
  expectTypeOf<keyof typeof options>().toExtend<keyof CheckoutOptions>()
  expectTypeOf<Omit<CheckoutOptions, 'authorize'>>().not.toExtend<CheckoutOptions>()
  expectTypeOf<Omit<CheckoutOptions, 'order'>>().not.toExtend<CheckoutOptions>()
  expectTypeOf<Omit<CheckoutOptions, 'onPaid'>>().not.toExtend<CheckoutOptions>()
  expectTypeOf<Omit<PaymentStore, 'save'>>().not.toExtend<PaymentStore>()
  type Priced = { orderId: string; amount: number }
  expectTypeOf<Priced & { currency: 'AMD' | 'usd' }>().toExtend<CheckoutOrder>()
  expectTypeOf<Priced & { currency: 'GBP' }>().not.toExtend<CheckoutOrder>()
  // @ts-expect-error: the checkout's origin is not the shop's.
  void (() => createCheckout({ ...options, checkoutOrigin: 'https://pay.example' }))
  // @ts-expect-error: no call fails with a code of the hosted page.
  void ((error: PiError) => error.code === 'card_not_accepted')
  // @ts-expect-error: onPaid
  void (() => createCheckout({ ...options, onPayed: () => true }))
})
