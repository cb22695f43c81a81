/** A shop with one order that is written as its documents say, and the requests of its page. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { onTestFinished, vi } from 'vitest'
import { recordOf } from '../../src/checkout/record-text.ts'
import {
  type Checkout,
  type CheckoutOptions,
  type CheckoutOrder,
  createCheckout,
  memoryPayments,
  type PaidOrder,
  PaymentIntents,
  type PaymentUnderReview,
  type ReconcileSummary,
} from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'

export const origin = 'https://shop.example'
export const orderId = 'A-1001'

export type Row = CheckoutOrder & { paidBy?: string }

export type ShopOptions = Partial<CheckoutOptions> & { readonly service?: FakeService }

export type Shop = ReturnType<typeof shop>

export function shop({ service = fakeService(), ...options }: ShopOptions = {}) {
  if (!vi.isFakeTimers()) fakeTimers(['Date'])
  const intents = new PaymentIntents({ ...service.options, maxRetries: 0 })
  /** The shop's orders: a test changes or removes them. */
  const rows = new Map<string, Row>()
  const add = (id: string, amount = 100): void => {
    rows.set(id, { orderId: id, amount, currency: 'AMD' })
  }
  add(orderId)
  /** The intents for which `onPaid` returned true, and those that were passed to `onReview` with their reasons. */
  const paid: string[] = []
  const reviews: string[] = []
  const errors: unknown[] = []
  const { payments = memoryPayments() } = options
  const checkout: Checkout = createCheckout({
    intents,
    shopOrigin: origin,
    authorize: ({ orderId: asked = orderId }) => (rows.has(asked) ? asked : undefined),
    order: (id) => rows.get(id),
    onPaid: ({ orderId, payment, accepted }: PaidOrder) => {
      const row = rows.get(orderId)
      const isSame = row?.amount === payment.amount && row.currency === payment.currency
      if (!row || !(isSame || accepted)) return false
      if (row.paidBy !== undefined && row.paidBy !== payment.intentId) return false
      row.paidBy = payment.intentId
      paid.push(payment.intentId)
      return true
    },
    onReview: ({ payment, reason }: PaymentUnderReview) => {
      reviews.push(`${payment.intentId} ${reason}`)
    },
    onError: ({ error }) => errors.push(error),
    ...options,
    payments,
  })
  const base = typeof options.shopOrigin === 'string' ? options.shopOrigin : origin
  const handoff = (body: unknown = {}, headers: Record<string, string> = {}): Promise<Response> =>
    checkout(
      new Request(`${base}/checkout/handoff`, {
        method: 'POST',
        headers: { origin: base, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  const status = (id?: string, headers: Record<string, string> = {}): Promise<Response> => {
    const query = id === undefined ? '' : `?orderId=${encodeURIComponent(id)}`
    return checkout(new Request(`${base}/checkout/status${query}`, { headers }))
  }
  /** Returns one of the names of a response, or the code of its error. */
  const read = async (response: Promise<Response>, name: string): Promise<string> => {
    const body = (await (await response).json()) as Readonly<Record<string, string>>
    return body[name] ?? body.code ?? ''
  }
  return {
    service,
    checkout,
    rows,
    add,
    /** Changes what the order costs. */
    edit: (amount: number) => add(orderId, amount),
    paid,
    reviews,
    errors,
    handoff,
    status,
    /** The intent that a handoff gives to the page, or the code of its error. */
    intent: (id = orderId) => read(handoff({ orderId: id }), 'id'),
    phase: () => read(status(), 'phase'),
    resolve: (intentId: string, decision: 'accepted' | 'refunded') =>
      checkout.resolve({ orderId, intentId }, decision),
    payments: () => checkout.payments(orderId),
    /** When the order is due. */
    checkAt: async () => {
      const scope = intents.scope()
      return recordOf(await payments.load(scope, orderId), { scope, orderId }).checkAt
    },
    /** Looks at the orders that are due after a time: a minute by default. */
    later: (ms = 60_000): Promise<ReconcileSummary> => {
      vi.setSystemTime(Date.now() + ms)
      return checkout.reconcile()
    },
  }
}

/** A service with other responses to a retrieve: a test changes what `respond` returns for an intent. */
export function withRetrieves(
  respond: (intent: PaymentIntent, usual: () => Promise<Response>) => Promise<Response> | Response,
  service = fakeService(),
): FakeService {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url } = new Request(input, init)
    const usual = () => service.options.fetch(input, init)
    const intent = service.intents.find(({ id }) => url.endsWith(`/${id}`))
    return method === 'GET' && intent ? respond(intent, usual) : usual()
  }
  return { ...service, options: { ...service.options, fetch } }
}

/** Replaces the timers, or some of them, in this test. */
export function fakeTimers(toFake?: ['Date']): void {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), ...(toFake && { toFake }) })
  onTestFinished(() => void vi.useRealTimers())
}

export function captureStderr() {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => error.mockRestore())
  return error
}
