/** Imports of the clients in new processes, and their first calls. @module */
import { execFileSync } from 'node:child_process'
import type { Samples, Size } from '../samples.ts'
import { startChild } from './child.ts'

const imports = {
  'pi-checkout': "const { PaymentIntents } = await import('@pi-checkout/server')",
  stripe: "const { default: Stripe } = await import('stripe')",
  '@mollie/api-client': "const { createMollieClient } = await import('@mollie/api-client')",
  openai: "const { default: OpenAI } = await import('openai')",
}

export async function measure(samples: Samples, size: Size): Promise<void> {
  const { port, child } = await startChild('fake-api.ts')
  const scripts = {
    ...withPrefix('import', imports),
    ...withPrefix('import + first create', {
      'pi-checkout': `${imports['pi-checkout']}
        const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: 'http://127.0.0.1:${port}' })
        await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })`,
      stripe: `${imports.stripe}
        const stripe = new Stripe('bench', { host: '127.0.0.1', port: ${port}, protocol: 'http' })
        await stripe.paymentIntents.create({ amount: 150000, currency: 'usd' })`,
      openai: `${imports.openai}
        const openai = new OpenAI({ apiKey: 'bench-key', baseURL: 'http://127.0.0.1:${port}' })
        await openai.post('/payment-intents', { body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' } })`,
    }),
  }
  await samples.inTurns(
    size(21, 1),
    Object.entries(scripts).map(
      ([series, script]) =>
        (record) =>
          record(series, costOf(script)),
    ),
  )
  child.disconnect()
}

function withPrefix(prefix: string, scripts: Readonly<Record<string, string>>) {
  const entries = Object.entries(scripts)
  return Object.fromEntries(entries.map(([client, code]) => [`${prefix}, ${client}`, code]))
}

/** Measured inside the process: the start of Node.js itself is not included. */
function costOf(code: string): { readonly ms: number; readonly 'cpu ms': number } {
  const script = `
    const startedAt = performance.now()
    const used = process.cpuUsage()
    ${code}
    const { user, system } = process.cpuUsage(used)
    console.log(JSON.stringify({ ms: performance.now() - startedAt, 'cpu ms': (user + system) / 1000 }))
    process.exit()`
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }),
  )
}
