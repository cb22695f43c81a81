/** A merchant's code in strict TypeScript: compiled by `types.test.ts`, never run. @module */
import { type CreateParams, createHandoff, PaymentIntents } from '@pi-checkout/server'
import { toExpress } from '@pi-checkout/server/express'
import { toFastify, toKoa, toNode } from '@pi-checkout/server/node'
import { fakeService, fakeTime } from '@pi-checkout/server/testing'

interface Row {
  readonly id: string
  readonly total: number
  readonly email: string | undefined
  readonly intent: string | null
}

const row: Row = { id: 'A-1001', total: 1999, email: undefined, intent: null }
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

export const checkout = createHandoff({
  intents,
  shopOrigin: 'https://shop.example',
  session: undefined,
  basePath: undefined,
  resumeCookie: { keys: undefined },
  order: () => ({ ...params, intentId: row.intent, paid: undefined, attempt: undefined }),
  saveIntent: ({ order, intent }) => [order.orderId, intent.id],
  settle: async ({ intent, phase }) => {
    if (phase === 'paid') await pay(intent ? undefined : new AbortController().signal)
  },
})

export const ready = Promise.all([checkout.check(), intents.check({ totalTimeout: undefined })])

export const mounted = [toExpress(checkout), toNode(checkout), toFastify(checkout), toKoa(checkout)]

export const settled = checkout.reconcile(
  [{ ...params, intentId: 'pi_1', paid: undefined, attempt: undefined }],
  { concurrency: undefined, onReport: undefined, signal: undefined },
)

export const tested = new PaymentIntents({ ...fakeService().options, ...fakeTime() })
