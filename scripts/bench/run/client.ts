/** Calls of the client, next to bare fetch and Stripe's client. @module */
import { PaymentIntents } from '@pi-checkout/server'
import Stripe from 'stripe'
import { atOnce } from '../rows.ts'
import type { Samples, Size } from '../samples.ts'
import { startChild } from './child.ts'

type Call = (orderId: string) => Promise<unknown>

/** Each client makes the same calls to one server. */
export async function measure(samples: Samples, size: Size): Promise<void> {
  const { port, child } = await startChild('fake-api.ts')
  const clients = Object.entries(clientsOf(port))
  for (const concurrency of [1, 32]) {
    const load = { calls: size(500, 20), concurrency }
    await samples.inTurns(
      size(31, 1),
      clients.map(([client, call]) => async (record) => {
        record(`create(), ${atOnce(concurrency)}, ${client}`, await costOf(call, load))
      }),
    )
  }
  child.disconnect()
}

function clientsOf(port: number): Readonly<Record<string, Call>> {
  const apiKey = 'bench-key'
  const base = `http://127.0.0.1:${port}`
  const intents = new PaymentIntents({ apiKey, baseUrl: base })
  const stripe = new Stripe('bench', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    telemetry: false,
  })
  const params = (orderId: string) => ({ amount: 150000, currency: 'AMD', orderId }) as const
  return {
    fetch: async (orderId) => {
      const response = await fetch(`${base}/payment-intents`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': orderId,
        },
        body: JSON.stringify(params(orderId)),
      })
      return response.json()
    },
    'pi-checkout': (orderId) => intents.create(params(orderId)),
    stripe: (orderId) =>
      stripe.paymentIntents.create(
        { amount: 150000, currency: 'usd', metadata: { orderId } },
        { idempotencyKey: orderId },
      ),
  }
}

let orders = 0

/** Returns the cost of one call. */
async function costOf(
  call: Call,
  { calls, concurrency }: { readonly calls: number; readonly concurrency: number },
) {
  const startedAt = performance.now()
  const used = process.cpuUsage()
  let left = calls
  const work = async (): Promise<void> => {
    while (left-- > 0) await call(`bench-${++orders}`)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { user, system } = process.cpuUsage(used)
  return { µs: ((performance.now() - startedAt) * 1000) / calls, 'cpu µs': (user + system) / calls }
}
