/** A shop with one order that is written as its documents say, and the requests of its page. @module */
import { onTestFinished, vi } from 'vitest'
import {
  type Checkout,
  type CheckoutOptions,
  type CheckoutOrder,
  createCheckout,
  memoryPayments,
  type PaidOrder,
  PaymentIntents,
  type PaymentRecord,
  type PaymentUnderReview,
  type ReconcileSummary,
} from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'

export const origin = 'https://shop.example'
export const orderId = 'A-1001'

export type Row = CheckoutOrder & { paidBy?: string }

export interface Shop {
  readonly service: FakeService
  readonly checkout: Checkout
  /** The shop's order: a test changes or removes it. */
  readonly rows: Map<string, Row>
  /** The intents for which `onPaid` returned true, and those that were passed to `onReview` with their reasons. */
  readonly paid: string[]
  readonly reviews: string[]
  readonly errors: unknown[]
  readonly handoff: (body?: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly status: (orderId?: string, headers?: Record<string, string>) => Promise<Response>
  /** The intent that a handoff gives to the page, or the code of its error. */
  readonly intent: () => Promise<string>
  readonly phase: () => Promise<unknown>
  readonly record: () => Promise<PaymentRecord | undefined>
  /** Looks at the orders that are due after a time, which a test's clock passes: a minute by default. */
  readonly later: (ms?: number) => Promise<ReconcileSummary>
}

export type ShopOptions = Partial<CheckoutOptions> & { readonly service?: FakeService }

export function shop({ service = fakeService(), ...options }: ShopOptions = {}): Shop {
  if (!vi.isFakeTimers()) fakeTimers(['Date'])
  const intents = new PaymentIntents({ ...service.options, maxRetries: 0 })
  const rows = new Map<string, Row>([[orderId, { orderId, amount: 100, currency: 'AMD' }]])
  const paid: string[] = []
  const reviews: string[] = []
  const errors: unknown[] = []
  const { payments = memoryPayments() } = options
  const checkout = createCheckout({
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
  const handoff: Shop['handoff'] = (body = {}, headers = {}) =>
    checkout(
      new Request(`${base}/checkout/handoff`, {
        method: 'POST',
        headers: { origin: base, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  const status: Shop['status'] = (id, headers = {}) => {
    const query = id === undefined ? '' : `?orderId=${encodeURIComponent(id)}`
    return checkout(new Request(`${base}/checkout/status${query}`, { headers }))
  }
  return {
    service,
    checkout,
    rows,
    paid,
    reviews,
    errors,
    handoff,
    status,
    intent: async () => {
      const body = (await (await handoff()).json()) as {
        readonly id?: string
        readonly code?: string
      }
      return body.id ?? body.code ?? ''
    },
    phase: async () => {
      const body = (await (await status()).json()) as {
        readonly phase?: string
        readonly code?: string
      }
      return body.phase ?? body.code
    },
    record: async () => payments.load(intents.scope(), orderId),
    later: (ms = 60_000) => {
      vi.setSystemTime(Date.now() + ms)
      return checkout.reconcile()
    },
  }
}

/** A clock that a test moves. */
export function movableClock(): { readonly move: (ms: number) => void } {
  fakeTimers(['Date'])
  return { move: (ms) => void vi.setSystemTime(Date.now() + ms) }
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
