/** `@pi-checkout/server` next to bare fetch, and its import next to that of Stripe's client. @module */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import { compare, inTurns, type Row, type Size } from './rows.ts'

type Call = (orderId: string) => Promise<unknown>

const price = { amount: 150000, currency: 'AMD' } as const

export async function measure(size: Size): Promise<readonly Row[]> {
  const api = fork(join(import.meta.dirname, 'api.ts'))
  const [origin] = (await once(api, 'message')) as [string]
  const rows = [
    await creates(origin, { atOnce: 1, target: '≤ 1.15', size }),
    await creates(origin, { atOnce: 32, target: '≤ 1.3', size }),
    await imports(size),
  ]
  api.disconnect()
  return rows
}

async function creates(
  origin: string,
  { atOnce, target, size }: { atOnce: number; target: `≤ ${number}`; size: Size },
): Promise<Row> {
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
  const intents = new PaymentIntents({ apiKey: 'bench-key', baseUrl: origin })
  const { ours, bare } = await inTurns(size(31, 1), {
    ours: time((orderId) => intents.create({ ...price, orderId })),
    bare: time((orderId) => createByFetch(origin, orderId)),
  })
  const what = `time of create(), ${atOnce} at once`
  return compare(what, ours, { against: 'fetch', baseline: bare, target })
}

/** What a shop without a client does. */
async function createByFetch(origin: string, orderId: string): Promise<unknown> {
  const response = await fetch(`${origin}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer bench-key',
      'content-type': 'application/json',
      'idempotency-key': orderId,
    },
    body: JSON.stringify({ ...price, orderId }),
  })
  return await response.json()
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
  const { ours, stripe } = await inTurns(size(21, 1), {
    ours: run('@pi-checkout/server'),
    stripe: run('stripe'),
  })
  const against = { against: 'stripe', baseline: stripe, target: '≤ 0.5' } as const
  return compare('time of import, fresh process', ours, against)
}
