// How long a fresh process takes to import a client, and to import it and make its first call.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './median.mjs'

const imports = {
  'pi-checkout': "const { PaymentIntents } = await import('@pi-checkout/server')",
  stripe: "const { default: Stripe } = await import('stripe')",
  mollie: "const { createMollieClient } = await import('@mollie/api-client')",
  openai: "const { default: OpenAI } = await import('openai')",
}

const firstCalls = {
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

/** Medians over fresh, interleaved processes, in milliseconds, and each one's ratio to Stripe. */
export function measureStarts(port, { processes }) {
  const scripts = [
    ...Object.entries(imports).map(([client, load]) => ({ what: 'import', client, code: load })),
    ...Object.entries(firstCalls).map(([client, call]) => ({
      what: 'import + first create',
      client,
      code: `${imports[client]}${call(port)}`,
    })),
  ].map((script) => ({ ...script, times: [] }))
  for (let at = 0; at < processes; at++) {
    for (const { code, times } of scripts) times.push(run(code))
  }
  return scripts.map(({ what, client, times }) => {
    const stripe = scripts.find((it) => it.what === what && it.client === 'stripe').times
    const ratio = (kind) => median(times.map((taken, round) => taken[kind] / stripe[round][kind]))
    return {
      what,
      client,
      milliseconds: median(times.map(({ wall }) => wall)),
      cpuMilliseconds: median(times.map(({ cpu }) => cpu)),
      ratio: ratio('wall'),
      cpuRatio: ratio('cpu'),
    }
  })
}

function run(code) {
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
