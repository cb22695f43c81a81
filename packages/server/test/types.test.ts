import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { toNode } from '../src/frameworks/node.ts'
import {
  type AuthorizeQuery,
  type Checkout,
  type CheckoutOptions,
  type CheckoutOrder,
  createCheckout,
  cspFor,
  memoryPayments,
  type Payment,
  type PaymentIntent,
  PaymentIntents,
  type PaymentStore,
  PiError,
  type PiErrorCode,
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
  expectTypeOf(plain).toBeCallableWith(new Request('https://shop.example'))
  const inExpress = createCheckout({
    intents,
    shopOrigin: [shopOrigin],
    authorize: ({ orderId, context: req }: AuthorizeQuery<ExpressRequest>) =>
      req.path ? orderId : undefined,
    order: (orderId) => ({ orderId, amount: 1, currency: 'AMD' }),
    payments: memoryPayments(),
    onPaid: ({ orderId, payment }) => {
      expectTypeOf(orderId).toBeString()
      expectTypeOf(payment).toEqualTypeOf<Payment>()
      return true
    },
    onReview: ({ payment, reason }) => {
      expectTypeOf(payment).toEqualTypeOf<Payment>()
      expectTypeOf(reason).toEqualTypeOf<ReviewReason>()
    },
  })
  // @ts-expect-error: the hook needs a context.
  void (() => inExpress(new Request('https://shop.example')))
  expectTypeOf(toNode(inExpress)).toExtend<RequestHandler>()
  expectTypeOf(toNode(plain)).toExtend<RequestHandler>()
  expectTypeOf(toNode(plain)).parameter(0).toEqualTypeOf<IncomingMessage>()
})

test('options and fields may be undefined or null, as from environments and databases', () => {
  const settings: { readonly key?: string | undefined } = {}
  const client = new PaymentIntents({ apiKey: settings.key, timeout: undefined, agent: undefined })
  void (() => new PaymentIntents({ agent: new Agent() }))
  // @ts-expect-error: an agent of another library makes no connections for node:http.
  void (() => new PaymentIntents({ agent: { destroy: async () => {}, dispatch: () => true } }))
  const customer = { id: 'c1', email: undefined, name: null }
  const params = { orderId: 'A-1', amount: 1999, currency: 'usd', customer } as const
  void ((signal?: AbortSignal) => client.create(params, { signal, attempt: undefined }))
  const order = () => ({ ...params, metadata: undefined, version: undefined })
  const unset = { basePath: undefined, onError: undefined, onReview: undefined }
  const checkout = createCheckout({ intents, shopOrigin, ...hooks, order, ...unset })
  expectTypeOf(checkout.start).toBeCallableWith({ interval: undefined })
})

test('a failed call is one class, and its code one union', () => {
  const describe = (error: unknown): string => {
    if (!PiError.is(error)) return ''
    expectTypeOf(error).toEqualTypeOf<PiError>()
    expectTypeOf(error.code).toEqualTypeOf<PiErrorCode>()
    // @ts-expect-error: no call fails with a code of the hosted page.
    return error.code === 'card_not_accepted' ? '' : error.advice
  }
  expectTypeOf(describe).returns.toBeString()
})

test('the published types need neither types of Node.js nor a library after ES2020', {
  timeout: 60_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const types = ['index', 'testing/fake-service'].map((name) =>
    fileURLToPath(new URL(`../dist/${name}.d.ts`, import.meta.url)),
  )
  const options = '--noEmit --strict --lib es2020,dom,dom.iterable --module esnext'.split(' ')
  const more = '--moduleResolution bundler --skipLibCheck false --types'.split(' ')
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...more, '', ...types], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
})

test('a misspelt or changed field of an intent does not compile', () => {
  const check = (intent: PaymentIntent): undefined => {
    // @ts-expect-error: amuont
    void (intent.amuont === 1)
    // @ts-expect-error: stauts
    void (intent.stauts === 'succeeded')
    // @ts-expect-error: last5
    void intent.paymentMethod?.card?.last5
    // @ts-expect-error: an intent cannot be changed.
    intent.amount = 1
    return undefined
  }
  expectTypeOf(check).returns.toBeUndefined()
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
  // @ts-expect-error: and the other way around.
  void (() => cspFor({ shopOrigin }))
  // @ts-expect-error: onPaid
  void (() => createCheckout({ ...options, onPayed: () => true }))
})
