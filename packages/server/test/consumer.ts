/** A merchant's code in strict TypeScript: compiled by `types.test.ts`, never run. @module */
import {
  type CreateParams,
  createCheckout,
  memoryPayments,
  PaymentIntents,
} from '@pi-checkout/server'
import { toFastify, toKoa, toNode } from '@pi-checkout/server/node'
import { fakeService } from '@pi-checkout/server/testing'

interface Row {
  readonly id: string
  readonly total: number
  readonly email: string | undefined
}

const row: Row = { id: 'A-1001', total: 1999, email: undefined }
// Values that may be undefined or null, as from forms, environments, and databases.
const settings: { readonly key?: string | undefined } = {}
const intents = new PaymentIntents({
  apiKey: settings.key,
  timeout: undefined,
  agent: undefined,
  onRequest: undefined,
})
const params: CreateParams = {
  orderId: row.id,
  amount: row.total,
  currency: 'usd',
  customer: { id: 'c1', email: row.email, name: null },
  metadata: undefined,
}

export async function pay(signal: AbortSignal | undefined): Promise<string> {
  const { intent, handoff } = await intents.create(params, { signal, attempt: undefined })
  const last4: string | undefined = intent.paymentMethod?.card?.last4
  return handoff.clientSecret + (last4 ?? '')
}

export const checkout = createCheckout({
  intents,
  shopOrigin: 'https://shop.example',
  basePath: undefined,
  onError: undefined,
  onReview: undefined,
  authorize: ({ orderId }) => orderId,
  order: () => ({ ...params, version: undefined }),
  payments: memoryPayments(),
  onPaid: async ({ orderId, payment }) => orderId === row.id && payment.amount === row.total,
})

export const ready = Promise.all([checkout.check(), intents.check({ totalTimeout: undefined })])

export const mounted = [toNode(checkout), toFastify(checkout), toKoa(checkout)]

export const settled = checkout.start({ interval: undefined }).then((stop) => stop())

export const tested = new PaymentIntents(fakeService().options)
