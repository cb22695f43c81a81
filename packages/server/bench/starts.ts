/**
 * How long a fresh process takes to import a client, and to import it and make its first call.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median, type Round, type Row, rounded, rowOf } from '../../../.ci/bench/row.ts'
import { start } from './table.ts'

type Client = 'pi-checkout' | 'stripe' | 'mollie' | 'openai'

const imports: Readonly<Record<Client, string>> = {
  'pi-checkout': "const { PaymentIntents } = await import('@pi-checkout/server')",
  stripe: "const { default: Stripe } = await import('stripe')",
  mollie: "const { createMollieClient } = await import('@mollie/api-client')",
  openai: "const { default: OpenAI } = await import('openai')",
}

const firstCalls: Readonly<Partial<Record<Client, (port: number) => string>>> = {
  'pi-checkout': (port) => `
    const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: 'http://127.0.0.1:${port}' })
    await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })`,
  stripe: (port) => `
    const stripe = new Stripe('bench', { host: '127.0.0.1', port: ${port}, protocol: 'http' })
    await stripe.paymentIntents.create({ amount: 150000, currency: 'usd' })`,
  openai: (port) => `
    const openai = new OpenAI({ apiKey: 'bench-key', baseURL: 'http://127.0.0.1:${port}' })
    await openai.post('/payment-intents', { body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' } })`,
}

/** Milliseconds, measured inside of the process: what Node itself takes is not in it. */
interface Took {
  readonly wall: number
  readonly cpu: number
}

/** Starts fresh processes in turns. */
export function measureStarts(
  port: number,
  { processes }: { readonly processes: number },
): { readonly rows: readonly Row[]; readonly runs: readonly object[] } {
  const clients = Object.keys(imports) as Client[]
  const scripts = [
    ...clients.map((client) => ({ what: 'import', client, code: imports[client] })),
    ...clients.flatMap((client) => {
      const call = firstCalls[client]?.(port)
      return call ? [{ what: 'import + first create', client, code: imports[client] + call }] : []
    }),
  ].map((script) => ({ ...script, times: [] as Took[] }))
  for (let at = 0; at < processes; at++) {
    for (const { code, times } of scripts) times.push(run(code))
  }
  const paired = (what: string, peer: Client): Round[] => {
    const of = (name: Client) =>
      scripts.find((it) => it.what === what && it.client === name)?.times ?? []
    const baseline = of(peer).map(({ wall }) => wall)
    return of('pi-checkout').map(({ wall }, at) => ({ ours: wall, baseline: baseline[at] ?? 0 }))
  }
  return {
    rows: [
      rowOf(start('import', 'stripe'), paired('import', 'stripe')),
      rowOf(start('import', 'mollie'), paired('import', 'mollie')),
      rowOf(start('import + first create', 'stripe'), paired('import + first create', 'stripe')),
    ],
    runs: scripts.map(({ what, client, times }) => ({
      what: `${what}, ${client}`,
      milliseconds: rounded(median(times.map(({ wall }) => wall))),
      cpuMilliseconds: rounded(median(times.map(({ cpu }) => cpu))),
    })),
  }
}

function run(code: string): Took {
  const timed = `
    const began = performance.now()
    const used = process.cpuUsage()
    ${code}
    const { user, system } = process.cpuUsage(used)
    console.log(JSON.stringify({ wall: performance.now() - began, cpu: (user + system) / 1000 }))
    process.exit()`
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', timed], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    }),
  )
}
