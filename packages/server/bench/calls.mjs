// How long one call takes, beside bare fetch and the clients that merchants know.
import { PaymentIntents } from '@pi-checkout/server'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { median } from './median.mjs'

const apiKey = 'bench-key-of-nobody'

/** Medians of interleaved rounds, in microseconds per call, and each one's ratio to bare fetch. */
export async function measureCalls(port, { rounds, calls }) {
  const base = `http://127.0.0.1:${port}`
  const results = []
  for (const operation of ['create', 'retrieve']) {
    const clients = clientsOf(base)[operation]
    for (const concurrency of [1, 32]) {
      const times = await interleaved(clients, { rounds, calls, concurrency })
      const fetched = times.get('fetch')
      for (const [client, all] of times) {
        // Round by round against its neighbour: what the machine does meanwhile hits both.
        const ratio = (what) =>
          median(all.map((taken, round) => taken[what] / fetched[round][what]))
        results.push({
          operation,
          concurrency,
          client,
          microseconds: median(all.map(({ wall }) => wall)),
          cpuMicroseconds: median(all.map(({ cpu }) => cpu)),
          ratio: ratio('wall'),
          cpuRatio: ratio('cpu'),
        })
      }
    }
  }
  return results
}

function clientsOf(base) {
  const intents = new PaymentIntents({ apiKey, baseUrl: base })
  const { port } = new URL(base)
  const stripe = new Stripe('bench', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    telemetry: false,
  })
  const openai = new OpenAI({ apiKey, baseURL: base })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const params = (orderId) => ({ amount: 150000, currency: 'AMD', orderId })
  return {
    create: {
      fetch: async (orderId) => {
        const response = await fetch(`${base}/payment-intents`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': orderId },
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
      openai: (orderId) =>
        openai.post('/payment-intents', { body: params(orderId), idempotencyKey: orderId }),
    },
    retrieve: {
      fetch: async () => {
        const response = await fetch(`${base}/payment-intents/pi_bench`, { headers })
        return response.json()
      },
      'pi-checkout': () => intents.retrieve('pi_bench'),
      stripe: () => stripe.paymentIntents.retrieve('pi_bench'),
      openai: () => openai.get('/payment-intents/pi_bench'),
    },
  }
}

let orders = 0

async function interleaved(clients, { rounds, calls, concurrency }) {
  const names = Object.keys(clients)
  const times = new Map(names.map((name) => [name, []]))
  for (const name of names) await round(clients[name], { calls, concurrency })
  for (let at = 0; at < rounds; at++) {
    // Another order each round: nobody always comes first.
    const shifted = [...names.slice(at % names.length), ...names.slice(0, at % names.length)]
    for (const name of shifted) {
      times.get(name).push(await round(clients[name], { calls, concurrency }))
    }
  }
  return times
}

async function round(call, { calls, concurrency }) {
  const began = performance.now()
  const used = process.cpuUsage()
  let left = calls
  const work = async () => {
    while (left-- > 0) await call(`bench-${++orders}`)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { user, system } = process.cpuUsage(used)
  return { wall: ((performance.now() - began) * 1000) / calls, cpu: (user + system) / calls }
}
