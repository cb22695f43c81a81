import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import { expect, expectTypeOf, test } from 'vitest'
import { toExpress } from '../src/frameworks/express.ts'
import {
  type ApiErrorCode,
  type CreatedIntent,
  createHandoff,
  cspFor,
  type HandoffHandler,
  type HandoffOptions,
  type HandoffOrder,
  type OrderQuery,
  type PaymentIntent,
  PaymentIntents,
  type Phase,
  PiError,
  type PiErrorCode,
  type ReconcileReport,
  raw,
  type verify,
} from '../src/index.ts'

test('the public types are as documented', () => {
  expectTypeOf<CreatedIntent['intent']>().toEqualTypeOf<PaymentIntent>()
  expectTypeOf<CreatedIntent['handoff']>().toEqualTypeOf<{
    readonly id: string
    readonly clientSecret: string
  }>()
  expectTypeOf<CreatedIntent['replayed']>().toEqualTypeOf<boolean>()
  expectTypeOf<PiError['code']>().toEqualTypeOf<PiErrorCode>()
  expectTypeOf<PiError['outcome']>().toEqualTypeOf<'not_sent' | 'rejected' | 'unknown'>()
  expectTypeOf<'idempotency_key_in_use'>().toExtend<PiErrorCode>()
  expectTypeOf<'anything'>().not.toExtend<PiErrorCode>()
  expectTypeOf<ReturnType<typeof verify>>().toEqualTypeOf<Phase | 'mismatch'>()
  expectTypeOf<Phase>().toEqualTypeOf<'paid' | 'open' | 'processing' | 'failed' | 'unknown'>()
  type Params = Parameters<PaymentIntents['create']>[0]
  expectTypeOf<{ amount: 1; currency: 'AMD'; orderId: 'A' }>().toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'amd'; orderId: 'A'; customer: null }>().toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'GBP'; orderId: 'A' }>().not.toExtend<Params>()
  expectTypeOf<{ amount: '1'; currency: 'AMD'; orderId: 'A' }>().not.toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'AMD' }>().not.toExtend<Params>()
})

const intents = new PaymentIntents({ apiKey: 'key-of-a-test', baseUrl: 'http://127.0.0.1:1' })
const shopOrigin = 'https://shop.example'
const hooks = { order: () => undefined, saveIntent: () => {}, settle: () => {} }

test('hooks infer the types of order and context from each other', () => {
  const plain = createHandoff({ intents, shopOrigin, ...hooks })
  expectTypeOf(plain).toEqualTypeOf<HandoffHandler>()
  expectTypeOf(plain).toBeCallableWith(new Request('https://shop.example'))
  const inExpress = createHandoff({
    intents: ({ order }) => (order.cart === 7 ? intents : intents),
    shopOrigin: [shopOrigin],
    order: ({ orderId = 'A', context: req }: OrderQuery<ExpressRequest>) => {
      const found = {
        orderId,
        amount: 1,
        currency: 'AMD',
        attempt: 1,
        intentId: null,
        cart: 7,
      } as const
      return req.path ? found : undefined
    },
    session: ({ context }) => {
      expectTypeOf(context).toEqualTypeOf<ExpressRequest>()
      return undefined
    },
    saveIntent: async ({ order, intent, context }) => {
      expectTypeOf(order.cart).toEqualTypeOf<7>()
      expectTypeOf(intent).toEqualTypeOf<PaymentIntent>()
      expectTypeOf(context).toEqualTypeOf<ExpressRequest>()
    },
    settle: ({ order, intent, phase, nextAttempt }) => {
      expectTypeOf(order.cart).toEqualTypeOf<7>()
      expectTypeOf(intent).toEqualTypeOf<PaymentIntent>()
      expectTypeOf(phase).toEqualTypeOf<'paid' | 'failed'>()
      expectTypeOf(nextAttempt).toEqualTypeOf<number>()
    },
  })
  // @ts-expect-error: the hooks need a context.
  void (() => inExpress(new Request('https://shop.example')))
  const row = { orderId: 'A', amount: 1, currency: 'AMD', intentId: 'pi_1' } as const
  // @ts-expect-error: settle needs the fields of the order, such as its attempt.
  void (() => inExpress.reconcile([row]))
  expectTypeOf(inExpress.reconcile).returns.resolves.toHaveProperty('needs_review')
  expectTypeOf(toExpress(inExpress)).toExtend<RequestHandler>()
  expectTypeOf(toExpress(plain)).toExtend<RequestHandler>()
  expectTypeOf(toExpress(plain)).parameter(0).toEqualTypeOf<IncomingMessage>()
})

test('errors narrow by name, with a status and codes of their own', () => {
  const describe = (error: unknown): string => {
    if (!PiError.is(error)) return ''
    switch (error.name) {
      case 'ApiError':
        expectTypeOf(error.status).toEqualTypeOf<number>()
        expectTypeOf(error.code).toEqualTypeOf<ApiErrorCode>()
        return error.code
      case 'ConnectionError':
        // @ts-expect-error: the service rejected nothing.
        return error.code === 'validation_failed' ? '' : error.code
      case 'ContractError':
        // @ts-expect-error: a response arrived.
        return error.code === 'timed_out' ? '' : error.code
      case 'IdempotencyConflictError':
      case 'AbortedError':
        return error.code
    }
  }
  expectTypeOf(describe).returns.toBeString()
})

test('a misspelt or changed field of an intent does not compile', () => {
  const check = (intent: PaymentIntent): unknown => {
    // @ts-expect-error: amuont
    void (intent.amuont === 1)
    // @ts-expect-error: stauts
    void (intent.stauts === 'succeeded')
    // @ts-expect-error: last5
    void intent.paymentMethod?.card?.last5
    // @ts-expect-error: an intent cannot be changed.
    intent.amount = 1
    return raw(intent).installments
  }
  expectTypeOf(check).returns.toBeUnknown()
})

test('a handler without a required hook, or with a misspelt option, does not compile', () => {
  const options = { intents, shopOrigin, ...hooks }
  expectTypeOf<keyof typeof options>().toExtend<keyof HandoffOptions>()
  expectTypeOf<Omit<HandoffOptions, 'order'>>().not.toExtend<HandoffOptions>()
  expectTypeOf<Omit<HandoffOptions, 'saveIntent'>>().not.toExtend<HandoffOptions>()
  expectTypeOf<Omit<HandoffOptions, 'settle'>>().not.toExtend<HandoffOptions>()
  expectTypeOf<Omit<HandoffOrder, 'intentId'>>().not.toExtend<HandoffOrder>()
  // @ts-expect-error: the checkout's origin is not the shop's.
  void (() => createHandoff({ ...options, checkoutOrigin: 'https://pay.example' }))
  // @ts-expect-error: and the other way around.
  void (() => cspFor({ shopOrigin }))
  // @ts-expect-error: there is one hook for a result.
  void (() => createHandoff({ ...options, onPaid: () => {} }))
})

test('a report shows only the fields of its kind', () => {
  const messages = (report: ReconcileReport): string => {
    switch (report.kind) {
      case 'settled':
      case 'pending':
        return `${report.phase} ${report.intent.id}`
      case 'needs_review':
        return `${report.reason} ${report.intent.id}`
      case 'error':
        // @ts-expect-error: there is no intent.
        void report.intent
        return report.error.message
    }
  }
  expectTypeOf(messages).returns.toBeString()
})

for (const exact of [true, false]) {
  const mode = exact ? 'on' : 'off'
  test(`a strict consumer compiles with exactOptionalPropertyTypes ${mode}`, {
    timeout: 60_000,
  }, () => {
    const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
    expect(existsSync(file('consumer.ts'))).toBe(true)
    const { status, stdout } = spawnSync(
      file('../../../node_modules/.bin/tsc'),
      [
        ...'--noEmit --strict --module NodeNext --target ES2023 --types node'.split(' '),
        ...'--lib ES2023,ES2024.String --skipLibCheck --allowImportingTsExtensions'.split(' '),
        ...['--customConditions', 'source', '--exactOptionalPropertyTypes', String(exact)],
        ...['--ignoreConfig', file('consumer.ts')],
      ],
      { cwd: file('..'), encoding: 'utf8' },
    )
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
}
