/**
 * Merchants that never give up: each create is sent with its own key until it is acknowledged, to
 * whichever instance answers, and some answers are lost on purpose.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { headers, routes } from '@pi-checkout/contract/routes'
import { z } from 'zod'

/** What the merchants were told. */
export interface Ledger {
  /** Every 201, replays included. */
  acknowledged: number
  /** Per order the bytes of its first acknowledgement; one order, one key. */
  readonly answers: Map<string, string>
  /** Orders that were told two different things. */
  readonly contradicted: Set<string>
}

/** Where to send: changes while instances come and go. */
export type Target = () => { readonly url: string; readonly apiKey: string } | undefined

/** Starts an empty ledger. */
export function newLedger(): Ledger {
  return { acknowledged: 0, answers: new Map(), contradicted: new Set() }
}

/** How long a load goes on. */
export interface LoadOptions {
  /** What has begun is finished. */
  readonly stopped: () => boolean
  /** Ends it at once. */
  readonly signal: AbortSignal
}

/** Sends creates from many merchants at once. */
export async function sendLoad(
  ledger: Ledger,
  target: Target,
  { merchants, stopped, signal }: LoadOptions & { readonly merchants: number },
): Promise<void> {
  let orders = 0
  const merchant = async (): Promise<void> => {
    while (!stopped()) {
      // A third are orders that were sent before: a reload, a double click, a second tab.
      const again = orders > 0 && Math.random() < 1 / 3
      const order = `T-${again ? Math.floor(Math.random() * orders) : orders++}`
      await sendUntilAcknowledged(ledger, target, { order, fault: chance(), signal })
    }
  }
  await Promise.all(Array.from({ length: merchants }, merchant))
}

/** What the orders begin with whose keys are sent past their time. */
export const expiring = 'E-'
/** How many send such a key at once. */
const racers = 8

/**
 * Sends orders whose keys are over by then: of all that race for such a key, one makes an intent.
 *
 * @returns How many keys were raced for.
 */
export async function sendExpired(
  ledger: Ledger,
  target: Target,
  { expire, stopped, signal }: LoadOptions & { readonly expire: (order: string) => Promise<void> },
): Promise<number> {
  let expired = 0
  for (; !stopped(); expired++) {
    const order = `${expiring}${expired}`
    const first = await sendUntilAcknowledged(ledger, target, { order, fault: undefined, signal })
    await expire(order)
    ledger.answers.delete(order)
    const race = Array.from({ length: racers }, async () =>
      sendUntilAcknowledged(ledger, target, { order, fault: chance(), signal }),
    )
    if ((await Promise.all(race)).includes(first)) ledger.contradicted.add(order)
  }
  return expired
}

/** Asks for every acknowledged order once more. Returns the orders that are no longer the same. */
export async function findLost(ledger: Ledger, target: Target): Promise<readonly string[]> {
  const orders = [...ledger.answers.keys()]
  const lost: string[] = []
  const check = async (): Promise<void> => {
    for (let order = orders.pop(); order !== undefined; order = orders.pop()) {
      const answer = await sendUntilAcknowledged(newLedger(), target, { order, fault: undefined })
      if (answer !== ledger.answers.get(order)) lost.push(order)
    }
  }
  await Promise.all(Array.from({ length: 16 }, check))
  return lost
}

function chance(): string | undefined {
  const roll = Math.random()
  if (roll < 0.04) return 'drop-after-commit'
  if (roll < 0.06) return 'truncate-body'
  return roll < 0.08 ? 'fail-before-commit' : undefined
}

const patience = 60_000

async function sendUntilAcknowledged(
  ledger: Ledger,
  target: Target,
  {
    order,
    fault,
    signal,
  }: {
    readonly order: string
    readonly fault: string | undefined
    readonly signal?: AbortSignal
  },
): Promise<string> {
  const deadline = Date.now() + patience
  for (let tries = 0; Date.now() < deadline; tries++) {
    signal?.throwIfAborted()
    const answer = await send(target, { order, fault: tries === 0 ? fault : undefined })
    if (answer !== undefined) {
      ledger.acknowledged++
      const before = ledger.answers.get(order)
      if (before === undefined) ledger.answers.set(order, answer)
      else if (before !== answer) ledger.contradicted.add(order)
      return answer
    }
    await sleep(20 + Math.random() * 80)
  }
  throw new Error(`No instance acknowledged an order within ${patience / 1000} seconds`)
}

/** @returns The bytes of a 201, or `undefined`: no answer, a broken one, or one to repeat. */
async function send(
  target: Target,
  { order, fault }: { readonly order: string; readonly fault: string | undefined },
): Promise<string | undefined> {
  const to = target()
  if (!to) return undefined
  try {
    const response = await fetch(to.url + routes.create.path, {
      method: routes.create.method,
      headers: {
        [headers.authorization]: `Bearer ${to.apiKey}`,
        [headers.contentType]: 'application/json',
        [headers.idempotencyKey]: `key-${order}`,
        ...(fault && { [headers.sandboxFault]: fault }),
      },
      body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: order }),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await response.text()
    if (response.status === 201) return text
    const { retryable } = Problem.parse(JSON.parse(text))
    if (!retryable) throw new Refused(`A create was refused with ${response.status}: ${text}`)
    return undefined
  } catch (error) {
    if (error instanceof Refused) throw error
    return undefined
  }
}

const Problem = z.object({ retryable: z.boolean() })

/** Not a lost answer but a wrong one: torture stops. */
class Refused extends Error {
  override readonly name = 'Refused'
}
