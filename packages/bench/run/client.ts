/**
 * Calls and process starts of the client, next to bare fetch and the clients that merchants know.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { PaymentIntents } from '@pi-checkout/server'
import OpenAI from 'openai'
import Stripe from 'stripe'
import {
  callConcurrencies,
  callPeers,
  callRow,
  concurrencyLabel,
  operations,
  startRows,
} from '../rows.ts'
import { type Measured, median, pairs, type Row, rotated, rounded, rowOf } from '../statistics.ts'

type Client = 'fetch' | 'pi-checkout' | 'stripe' | 'openai' | 'mollie'
type Calls = Readonly<Partial<Record<Client, (orderId: string) => Promise<unknown>>>>

/** Time of one call in microseconds, or of one start in milliseconds. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

interface Load {
  readonly rounds: number
  readonly calls: number
  readonly concurrency: number
}

const apiKey = 'bench-key'

/** Each client makes `calls` calls in turn, `rounds` times. */
export async function measureCalls(
  port: number,
  { rounds, calls }: Omit<Load, 'concurrency'>,
): Promise<Measured> {
  const rows: Row[] = []
  const figures: object[] = []
  const clients = clientsOf(`http://127.0.0.1:${port}`)
  for (const operation of operations) {
    for (const concurrency of callConcurrencies) {
      const costs = await interleaved(clients[operation], { rounds, calls, concurrency })
      const walls = (client: Client) => (costs.get(client) ?? []).map(({ wall }) => wall)
      for (const peer of callPeers) {
        const definition = callRow(operation, concurrency, peer)
        rows.push(rowOf(definition, pairs(walls('pi-checkout'), walls(peer))))
      }
      for (const [client, all] of costs) {
        figures.push({
          what: `${operation}(), ${concurrencyLabel(concurrency)}, ${client}`,
          microseconds: Math.round(median(walls(client))),
          cpuMicroseconds: Math.round(median(all.map(({ cpu }) => cpu))),
          'cpu × fetch': rounded(
            median(all.map(({ cpu }, round) => cpu / (costs.get('fetch')?.[round]?.cpu ?? 0))),
          ),
        })
      }
    }
  }
  return { rows, figures }
}

function clientsOf(base: string): Readonly<Record<'create' | 'retrieve', Calls>> {
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
      fetch: async () => (await fetch(`${base}/payment-intents/pi_bench`, { headers })).json(),
      'pi-checkout': () => intents.retrieve('pi_bench'),
      stripe: () => stripe.paymentIntents.retrieve('pi_bench'),
      openai: () => openai.get('/payment-intents/pi_bench'),
    },
  }
}

async function interleaved(clients: Calls, load: Load): Promise<Map<Client, Cost[]>> {
  const entries = Object.entries(clients) as [Client, NonNullable<Calls[Client]>][]
  const costs = new Map<Client, Cost[]>(entries.map(([name]) => [name, []]))
  for (const [, call] of entries) await measureRound(call, load)
  for (let round = 0; round < load.rounds; round++) {
    for (const [name, call] of rotated(entries, round)) {
      costs.get(name)?.push(await measureRound(call, load))
    }
  }
  return costs
}

let orders = 0

async function measureRound(
  call: NonNullable<Calls[Client]>,
  { calls, concurrency }: Load,
): Promise<Cost> {
  const startedAt = performance.now()
  const used = process.cpuUsage()
  let left = calls
  const work = async (): Promise<void> => {
    while (left-- > 0) await call(`bench-${++orders}`)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { user, system } = process.cpuUsage(used)
  return { wall: ((performance.now() - startedAt) * 1000) / calls, cpu: (user + system) / calls }
}

const imports: Readonly<Record<Exclude<Client, 'fetch'>, string>> = {
  'pi-checkout': "const { PaymentIntents } = await import('@pi-checkout/server')",
  stripe: "const { default: Stripe } = await import('stripe')",
  mollie: "const { createMollieClient } = await import('@mollie/api-client')",
  openai: "const { default: OpenAI } = await import('openai')",
}

/** Imports each client in new processes, and makes its first call. */
export function measureClientStarts(port: number, rounds: number): Measured {
  const first = 'import + first create'
  const calls = {
    'pi-checkout': `
      const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: 'http://127.0.0.1:${port}' })
      await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })`,
    stripe: `
      const stripe = new Stripe('bench', { host: '127.0.0.1', port: ${port}, protocol: 'http' })
      await stripe.paymentIntents.create({ amount: 150000, currency: 'usd' })`,
    openai: `
      const openai = new OpenAI({ apiKey: 'bench-key', baseURL: 'http://127.0.0.1:${port}' })
      await openai.post('/payment-intents', { body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' } })`,
  }
  const scripts = [
    ...Object.entries(imports).map(([client, code]) => ['import', client, code]),
    ...Object.entries(calls).map(([client, code]) => [
      first,
      client,
      imports[client as keyof typeof calls] + code,
    ]),
  ] as const
  const costs = new Map<string, Cost[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [what, client, code = ''] of scripts) {
      const name = `${what}, ${client}`
      costs.set(name, [...(costs.get(name) ?? []), costOf(code)])
    }
  }
  const walls = (name: string) => (costs.get(name) ?? []).map(({ wall }) => wall)
  const compared = (what: string, peer: string) =>
    pairs(walls(`${what}, pi-checkout`), walls(`${what}, ${peer}`))
  return {
    rows: [
      rowOf(startRows.stripe, compared('import', 'stripe')),
      rowOf(startRows.mollie, compared('import', 'mollie')),
      rowOf(startRows.firstCreate, compared(first, 'stripe')),
    ],
    figures: [...costs].map(([what, all]) => ({
      what,
      milliseconds: rounded(median(all.map(({ wall }) => wall))),
      cpuMilliseconds: rounded(median(all.map(({ cpu }) => cpu))),
    })),
  }
}

/** Measured inside the process: the start of Node.js itself is not included. */
function costOf(code: string): Cost {
  const script = `
    const startedAt = performance.now()
    const used = process.cpuUsage()
    ${code}
    const { user, system } = process.cpuUsage(used)
    console.log(JSON.stringify({ wall: performance.now() - startedAt, cpu: (user + system) / 1000 }))
    process.exit()`
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }),
  )
}
