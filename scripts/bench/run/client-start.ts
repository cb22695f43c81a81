/** Imports of the clients in new processes, and their first calls. @module */
import { execFileSync } from 'node:child_process'
import type { Samples, Size } from '../samples.ts'
import { startChild } from './child.ts'

export async function measure(samples: Samples, size: Size): Promise<void> {
  const { port, child } = await startChild('fake-api.ts')
  const scripts = {
    'pi-checkout': `
      const { PaymentIntents } = await import('@pi-checkout/server')
      const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: 'http://127.0.0.1:${port}' })
      importedAt = performance.now()
      await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })`,
    stripe: `
      const { default: Stripe } = await import('stripe')
      const stripe = new Stripe('bench', { host: '127.0.0.1', port: ${port}, protocol: 'http' })
      importedAt = performance.now()
      await stripe.paymentIntents.create({ amount: 150000, currency: 'usd' })`,
  }
  await samples.inTurns(
    size(21, 1),
    Object.entries(scripts).map(([client, script]) => (record) => {
      const { imported, created } = costOf(script)
      record(`import, ${client}`, { ms: imported })
      record(`import + first create, ${client}`, { ms: created })
    }),
  )
  child.disconnect()
}

/** Measured inside the process: the start of Node.js itself is not included. */
function costOf(code: string): { readonly imported: number; readonly created: number } {
  const script = `
    const startedAt = performance.now()
    let importedAt
    ${code}
    const times = { imported: importedAt - startedAt, created: performance.now() - startedAt }
    console.log(JSON.stringify(times))
    process.exit()`
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(
    execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }),
  )
}
