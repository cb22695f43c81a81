/**
 * The servers that are measured, each a process of its own, and the requests that they get.
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type LoadTarget, load, type Run } from '../../../.ci/bench/load.ts'
import { randomBase62 } from '../src/identifiers.ts'

/** A run, and what it cost the server's own process: steadier than time on a busy machine. */
export interface Measured extends Run {
  /** Microseconds of processor time per request. */
  readonly cpu: number
}

/** What a server in a process of its own says and does. */
export interface Contestant {
  readonly name: string
  readonly port: number
  readonly apiKey: string
  readonly process: ChildProcess
  /** Ids to retrieve. */
  ids: string[]
}

/** How long and how wide a run is. */
export interface Load {
  readonly concurrency: number
  readonly seconds: number
}

/** What a contestant is asked between runs. */
export type Question =
  | { readonly type: 'cpu' }
  /** Fill the store with so many intents; the answer is ids and bytes per intent. */
  | { readonly type: 'fill'; readonly count: number }

/** What it answers to `fill`. */
export interface Filled {
  readonly ids: string[]
  readonly bytes: number
}

// The load warms up for a tenth of its time, which costs the server too.
const warmUp = 1.1

/** @param kind `postgres`, `embedded`, `map` or `bare`; the store is chosen by `env`. */
export async function start(kind: string, env: NodeJS.ProcessEnv): Promise<Contestant> {
  const path = fileURLToPath(new URL('contestant.ts', import.meta.url))
  const child = fork(path, [kind], {
    env: { ...process.env, PI_DATABASE_URL: '', ...env },
    execArgv: ['--import', 'tsx', '--import', new URL('built.mjs', import.meta.url).href],
  })
  const [ready] = (await once(child, 'message')) as [{ port: number; apiKey: string }]
  return { name: kind, ...ready, process: child, ids: [] }
}

/** Fills its store, and has ids from all over it retrieved from now on. */
export async function refill(contestant: Contestant, count: number): Promise<number> {
  const { ids, bytes } = (await ask(contestant, { type: 'fill', count })) as Filled
  contestant.ids = ids
  return bytes
}

export async function createMany(contestant: Contestant, wide: Load): Promise<Measured> {
  const { ids } = contestant
  const run = randomBase62(12)
  let count = 0
  return await measured(contestant, {
    ...wide,
    next: () => creation(contestant, { key: `${run}-${count++}`, orderId: 'A-1001' }),
    seen: (answer) => {
      if (ids.length < 10_000) ids.push(answer.slice(7, 34))
    },
  })
}

export async function retrieveMany(contestant: Contestant, wide: Load): Promise<Measured> {
  const { apiKey, ids } = contestant
  let count = 0
  return await measured(contestant, {
    ...wide,
    next: () =>
      `GET /payment-intents/${ids[count++ % ids.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
  })
}

/** The bytes of a create. */
export function creation(
  { apiKey }: Pick<Contestant, 'apiKey'>,
  { key, orderId }: { readonly key: string; readonly orderId: string },
): string {
  const body = JSON.stringify({ amount: 150000, currency: 'AMD', orderId })
  return `POST /payment-intents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function measured(
  contestant: Contestant,
  target: Omit<LoadTarget, 'port'>,
): Promise<Measured> {
  const before = await cpuOf(contestant)
  const run = await load({ ...target, port: contestant.port })
  const after = await cpuOf(contestant)
  return { ...run, cpu: (after - before) / run.requests / warmUp }
}

async function cpuOf(contestant: Contestant): Promise<number> {
  const { user, system } = (await ask(contestant, { type: 'cpu' })) as NodeJS.CpuUsage
  return user + system
}

async function ask({ process }: Contestant, question: Question): Promise<unknown> {
  process.send(question)
  const [answer] = await once(process, 'message')
  return answer
}
