/** `@pi-checkout/server` next to bare fetch, Stripe's client, and an Express route. @module */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import Stripe from 'stripe'
import { compare, inTurns, type Row, type Size } from './compare.ts'
import { createByFetch, load } from './load.ts'

type Call = (orderId: string) => Promise<unknown>

export async function measure(size: Size): Promise<readonly Row[]> {
  const api = await startServer('api')
  const shop = await startServer('shop', api.origin)
  const rows = [
    ...(await creates(api.origin, 1, size)),
    ...(await creates(api.origin, 32, size)),
    await imports(size),
    ...(await handoffs(shop.origin, size)),
  ]
  api.stop()
  shop.stop()
  return rows
}

async function startServer(...args: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'servers.ts'), args)
  const [origin] = (await once(child, 'message')) as [string]
  return { origin, stop: () => child.disconnect() }
}

async function creates(origin: string, atOnce: number, size: Size): Promise<readonly Row[]> {
  let orders = 0
  const time = (call: Call) => async (): Promise<number> => {
    let left = size(500, 20)
    const startedAt = performance.now()
    const work = async (): Promise<void> => {
      while (left-- > 0) await call(`bench-${atOnce}-${++orders}`)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return performance.now() - startedAt
  }
  const { ours, bare, stripe } = clientsOf(origin)
  const measures = { ours: time(ours), bare: time(bare), stripe: time(stripe) }
  const times = await inTurns(size(31, 1), measures)
  const what = `time of create(), ${atOnce === 1 ? 'one at a time' : `${atOnce} at once`}`
  return [
    compare(what, times.ours, {
      against: 'fetch',
      baseline: times.bare,
      target: atOnce === 1 ? '≤ 1.15' : '≤ 1.3',
    }),
    compare(what, times.ours, { against: 'stripe', baseline: times.stripe, target: '≤ 1' }),
  ]
}

function clientsOf(origin: string): Readonly<Record<'ours' | 'bare' | 'stripe', Call>> {
  const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: origin })
  const { hostname: host, port } = new URL(origin)
  const stripe = new Stripe('bench', { host, port, protocol: 'http', telemetry: false })
  const price = { amount: 150000, currency: 'AMD' } as const
  return {
    ours: (orderId) => intents.create({ ...price, orderId }),
    bare: (orderId) => createByFetch(origin, orderId),
    stripe: (orderId) =>
      stripe.paymentIntents.create(
        { amount: 150000, currency: 'usd', metadata: { orderId } },
        { idempotencyKey: orderId },
      ),
  }
}

/** Imports in new processes. The start of Node.js itself is not included. */
async function imports(size: Size): Promise<Row> {
  const run = (name: string) => (): number => {
    const code = `
      const startedAt = performance.now()
      await import('${name}')
      console.log(performance.now() - startedAt)`
    const args = ['--input-type=module', '--eval', code]
    return Number(execFileSync(process.execPath, args, { cwd: import.meta.dirname }))
  }
  const times = await inTurns(size(21, 1), {
    ours: run('@pi-checkout/server'),
    stripe: run('stripe'),
  })
  const against = { against: 'stripe', baseline: times.stripe, target: '≤ 0.5' } as const
  return compare('time of import, fresh process', times.ours, against)
}

async function handoffs(origin: string, size: Size): Promise<readonly Row[]> {
  const headers = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
  const rate = (route: string, fields: object) => async (): Promise<number> => {
    const request = () => ({ path: `/${route}/handoff`, headers, body: JSON.stringify(fields) })
    return await load(origin, { count: size(3_000, 100), request })
  }
  const rates = await inTurns(size(9, 1), {
    open: rate('open', { orderId: 'A-1001' }),
    // It belongs to the session: the page names none.
    new: rate('new', {}),
    bare: rate('bare', {}),
  })
  const against = { against: 'an Express route with fetch', baseline: rates.bare }
  return [
    compare('handoffs per second, open order', rates.open, { ...against, target: '≥ 0.5' }),
    compare('handoffs per second, new order', rates.new, { ...against, target: '≥ 0.6' }),
  ]
}
