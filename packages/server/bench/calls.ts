/**
 * How long one call takes, beside bare fetch and the clients that merchants know.
 *
 * @module
 */
import { PaymentIntents } from '@pi-checkout/server'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { median, type Round, type Row, rounded, rowOf } from '../../../.ci/bench/row.ts'
import { type CallPeer, call as calling, callPeers, concurrencies, operations } from './table.ts'

type Client = CallPeer | 'pi-checkout'

type Calls = Readonly<Record<Client, (orderId: string) => Promise<unknown>>>

/** Microseconds of one call. */
interface Took {
  readonly wall: number
  readonly cpu: number
}

interface Size {
  readonly rounds: number
  readonly calls: number
}

const apiKey = 'bench-key-of-nobody'

/** Calls in interleaved rounds: round by round each client beside its neighbours. */
export async function measureCalls(
  port: number,
  { rounds, calls }: Size,
): Promise<{ readonly rows: readonly Row[]; readonly runs: readonly object[] }> {
  const rows: Row[] = []
  const runs: object[] = []
  for (const operation of operations) {
    const clients = clientsAt(`http://127.0.0.1:${port}`)[operation]
    for (const at of concurrencies) {
      const { concurrency } = at
      const times = await interleaved(clients, { rounds, calls, concurrency })
      for (const peer of callPeers) {
        rows.push(rowOf(calling(operation, at, peer), paired(times, peer)))
      }
      for (const [client, all] of times) {
        const microseconds = Math.round(median(all.map(({ wall }) => wall)))
        const cpuMicroseconds = Math.round(median(all.map(({ cpu }) => cpu)))
        const cpuRatio = rounded(
          median(all.map(({ cpu }, round) => cpu / (times.get('fetch')?.[round]?.cpu ?? 0))),
        )
        const what = `${operation}(), ${at.words}, ${client}`
        runs.push({ what, microseconds, cpuMicroseconds, 'cpu × fetch': cpuRatio })
      }
    }
  }
  return { rows, runs }
}

function paired(times: ReadonlyMap<Client, readonly Took[]>, peer: CallPeer): Round[] {
  const theirs = times.get(peer) ?? []
  return (times.get('pi-checkout') ?? []).map(({ wall }, round) => ({
    ours: wall,
    baseline: theirs[round]?.wall ?? Number.NaN,
  }))
}

function clientsAt(base: string): Readonly<Record<'create' | 'retrieve', Calls>> {
  const intents = new PaymentIntents({ apiKey, baseUrl: base })
  const stripe = new Stripe('bench', {
    host: '127.0.0.1',
    port: new URL(base).port,
    protocol: 'http',
    telemetry: false,
  })
  const openai = new OpenAI({ apiKey, baseURL: base })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const params = (orderId: string) => ({ amount: 150000, currency: 'AMD', orderId }) as const
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

type Load = Size & { readonly concurrency: number }

async function interleaved(clients: Calls, load: Load): Promise<Map<Client, Took[]>> {
  const names = Object.keys(clients) as Client[]
  const times = new Map<Client, Took[]>(names.map((name) => [name, []]))
  for (const name of names) await round(clients[name], load)
  for (let at = 0; at < load.rounds; at++) {
    // Another order each round: nobody always comes first.
    const shifted = [...names.slice(at % names.length), ...names.slice(0, at % names.length)]
    for (const name of shifted) times.get(name)?.push(await round(clients[name], load))
  }
  return times
}

let orders = 0

async function round(call: Calls[Client], { calls, concurrency }: Load): Promise<Took> {
  const began = performance.now()
  const used = process.cpuUsage()
  let left = calls
  const work = async (): Promise<void> => {
    while (left-- > 0) await call(`bench-${++orders}`)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { user, system } = process.cpuUsage(used)
  return { wall: ((performance.now() - began) * 1000) / calls, cpu: (user + system) / calls }
}
