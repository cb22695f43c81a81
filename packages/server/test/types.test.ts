import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import { expect, expectTypeOf, test } from 'vitest'
import { toExpress } from '../src/frameworks/express.ts'
import {
  type CreatedIntent,
  createHandoff,
  type HandoffHandler,
  type PaymentIntent,
  PaymentIntents,
  type PiError,
  type PiErrorCode,
  type Verdict,
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
  expectTypeOf<Verdict>().toEqualTypeOf<
    'paid' | 'open' | 'processing' | 'failed' | 'mismatch' | 'unknown'
  >()
  type Params = Parameters<PaymentIntents['create']>[0]
  expectTypeOf<{ amount: 1; currency: 'AMD'; orderId: 'A' }>().toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'amd'; orderId: 'A'; customer: null }>().toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'GBP'; orderId: 'A' }>().not.toExtend<Params>()
  expectTypeOf<{ amount: '1'; currency: 'AMD'; orderId: 'A' }>().not.toExtend<Params>()
  expectTypeOf<{ amount: 1; currency: 'AMD' }>().not.toExtend<Params>()
})

test('hooks infer the types of order and context from each other', () => {
  const intents = new PaymentIntents({ apiKey: 'key-of-a-test', baseUrl: 'http://127.0.0.1:1' })
  const plain = createHandoff({ intents, origin: 'https://shop.example', order: () => undefined })
  expectTypeOf(plain).toEqualTypeOf<HandoffHandler<unknown>>()
  expectTypeOf(plain).toBeCallableWith(new Request('https://shop.example'))
  const inExpress = createHandoff({
    intents,
    origin: 'https://shop.example',
    order: (_request, _orderId, req: ExpressRequest) =>
      req.path ? { orderId: 'A', amount: 1, currency: 'AMD' as const, cart: 7 } : undefined,
    onPaid: (order, intent, req) => {
      expectTypeOf(order.cart).toEqualTypeOf<number>()
      expectTypeOf(intent).toEqualTypeOf<PaymentIntent>()
      expectTypeOf(req).toEqualTypeOf<ExpressRequest>()
    },
  })
  // @ts-expect-error: the hooks need a context.
  void (() => inExpress(new Request('https://shop.example')))
  expectTypeOf(toExpress(inExpress)).toExtend<RequestHandler>()
  expectTypeOf(toExpress(plain)).toExtend<RequestHandler>()
  expectTypeOf(toExpress(plain)).parameter(0).toEqualTypeOf<IncomingMessage>()
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
        ...[
          '--noEmit',
          '--strict',
          '--module',
          'NodeNext',
          '--target',
          'ES2023',
          '--types',
          'node',
        ],
        ...['--lib', 'ES2023,ES2024.String', '--skipLibCheck', '--allowImportingTsExtensions'],
        ...['--customConditions', 'source', '--exactOptionalPropertyTypes', String(exact)],
        ...['--ignoreConfig', file('consumer.ts')],
      ],
      { cwd: file('..'), encoding: 'utf8' },
    )
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
}
