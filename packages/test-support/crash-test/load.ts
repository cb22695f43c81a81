/**
 * Merchants that retry: each create is sent with its key until an instance acknowledges it, and some responses
 * are lost on purpose.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Ledger {
  /** Number of 201 responses, replays included. */
  acknowledged: number
  /** The bytes of the first 201 of each order; one order has one key. */
  readonly responses: Map<string, string>
  /** Orders with two different responses. */
  readonly contradicted: Set<string>
}

/** Where to send: changes when instances stop and start. */
export type Target = () => { readonly url: string; readonly apiKey: string } | undefined

export interface LoadOptions {
  /** Creates that are in progress are completed. */
  readonly stopped: () => boolean
  /** Ends it immediately. */
  readonly signal: AbortSignal
}

export function newLedger(): Ledger {
  return { acknowledged: 0, responses: new Map(), contradicted: new Set() }
}

/** Sends creates from many merchants at the same time. */
export async function sendLoad(
  ledger: Ledger,
  target: Target,
  { merchants, stopped, signal }: LoadOptions & { readonly merchants: number },
): Promise<void> {
  let orders = 0
  const merchant = async (): Promise<void> => {
    while (!stopped()) {
      // A third repeats an earlier order: a reload, a double click, a second tab.
      const repeated = orders > 0 && Math.random() < 1 / 3
      const order = `T-${repeated ? Math.floor(Math.random() * orders) : orders++}`
      await createUntilAcknowledged(ledger, target, { order, fault: randomFault(), signal })
    }
  }
  await Promise.all(Array.from({ length: merchants }, merchant))
}

/** Prefix of the orders whose keys are sent after they have expired. */
export const expiredPrefix = 'E-'

/**
 * Sends expired keys from eight merchants at the same time: for each key, exactly one new intent is created.
 *
 * @returns The number of expired keys.
 */
export async function sendExpired(
  ledger: Ledger,
  target: Target,
  { expire, stopped, signal }: LoadOptions & { readonly expire: (order: string) => Promise<void> },
): Promise<number> {
  let expired = 0
  for (; !stopped(); expired++) {
    const order = `${expiredPrefix}${expired}`
    const first = await createUntilAcknowledged(ledger, target, { order, signal })
    await expire(order)
    ledger.responses.delete(order)
    const race = Array.from({ length: 8 }, () =>
      createUntilAcknowledged(ledger, target, { order, fault: randomFault(), signal }),
    )
    if ((await Promise.all(race)).includes(first)) ledger.contradicted.add(order)
  }
  return expired
}

/** Repeats every acknowledged create. Returns the orders whose response is another one. */
export async function findMissing(ledger: Ledger, target: Target): Promise<readonly string[]> {
  const orders = [...ledger.responses.keys()]
  const missing: string[] = []
  const check = async (): Promise<void> => {
    for (let order = orders.pop(); order !== undefined; order = orders.pop()) {
      const response = await createUntilAcknowledged(newLedger(), target, { order })
      if (response !== ledger.responses.get(order)) missing.push(order)
    }
  }
  await Promise.all(Array.from({ length: 16 }, check))
  return missing
}

function randomFault(): string | undefined {
  const random = Math.random()
  if (random < 0.04) return 'drop-after-commit'
  if (random < 0.06) return 'truncate-body'
  return random < 0.08 ? 'drop-before-commit' : undefined
}

interface Create {
  readonly order: string
  /** Injected into the first request attempt. */
  readonly fault?: string | undefined
  readonly signal?: AbortSignal
}

const timeoutMs = 60_000

async function createUntilAcknowledged(
  ledger: Ledger,
  target: Target,
  { order, fault, signal }: Create,
): Promise<string> {
  const deadline = Date.now() + timeoutMs
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    signal?.throwIfAborted()
    const response = await create(target, { order, fault: attempt === 0 ? fault : undefined })
    if (response !== undefined) {
      ledger.acknowledged++
      const first = ledger.responses.get(order)
      if (first === undefined) ledger.responses.set(order, response)
      else if (first !== response) ledger.contradicted.add(order)
      return response
    }
    await sleep(20 + Math.random() * 80)
  }
  throw new Error(`No instance acknowledged an order within ${timeoutMs / 1000} seconds`)
}

/** @returns The body of a 201; `undefined` if no complete response arrived, or a retryable one. */
async function create(target: Target, { order, fault }: Create): Promise<string | undefined> {
  const { url, apiKey } = target() ?? {}
  if (url === undefined) return undefined
  try {
    const response = await fetch(`${url}/payment-intents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${order}`,
        ...(fault && { 'sandbox-fault': fault }),
      },
      body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: order }),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await response.text()
    if (response.status === 201) return text
    const { retryable } = JSON.parse(text) as { readonly retryable?: unknown }
    if (retryable !== true) {
      throw new CreateRejected(`A create was rejected with ${response.status}: ${text}`)
    }
    return undefined
  } catch (error) {
    if (error instanceof CreateRejected) throw error
    return undefined
  }
}

/** A wrong response, which ends the crash test; a lost response is repeated. */
class CreateRejected extends Error {
  override readonly name = 'CreateRejected'
}
