/** The actions of buyers, of the bank, of the network, and of the operator. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from './adapter.ts'
import type { Buyer } from './buyer.ts'
import { forgedAmount, forgeries } from './forgery.ts'
import type { Card } from './hosted-page.ts'
import type { Pair, Sequence } from './sequence.ts'

/** One action, as it is generated, printed, and replayed. */
export interface Step {
  readonly action: ActionName
  /** Index of the buyer. */
  readonly buyer: number
  /** Index of what the buyer holds. */
  readonly pair: number
  /** One of the action's variants. */
  readonly variant: string
}

interface Action {
  /** How often it is played, relative to the others. */
  readonly weight: number
  /** @default one variant without a name */
  readonly variants?: readonly string[]
  /** Whether the adapter has what it needs. */
  readonly isKnown?: (adapter: Adapter) => boolean
  /** Whether it has an effect now. */
  readonly applies?: (played: Played) => boolean
  readonly play: (played: Played) => Promise<unknown>
  /** What it does, for people. */
  readonly text: (buyer: string, variant: string, nth: number) => string
}

interface Played {
  readonly sequence: Sequence
  readonly buyer: Buyer
  /** What the step is about, if the buyer holds something. */
  readonly pair: Pair | undefined
  readonly variant: string
}

/** Longer than an intent can be paid. */
const pastExpiry = 25 * 60 * 60 * 1000

const outcomes: readonly (Card | 'canceled' | 'challenge-passed' | 'challenge-denied')[] = [
  ...(['succeeds', 'succeeds', 'succeeds', 'declined', 'stolen', 'pending', 'pending'] as const),
  ...(['canceled', 'challenge-passed', 'challenge-denied'] as const),
]

const faults = ['drop-after-commit', 'drop-before-commit', '503', 'truncate-body', 'delay=300']

/** What a forged amount is sent with. */
const forgedRequests: Readonly<Record<string, string>> = {
  handoff: 'the handoff request',
  order: 'the requests that place the order',
  edit: 'the requests that change the order',
  finish: 'the requests after pi-finish',
}

async function finish({ adapter }: Sequence, { buyer, id, orderId }: Pair): Promise<void> {
  await adapter.finish?.(buyer, { id, orderId })
}

const hasOthers = ({ sequence, buyer }: Played): boolean =>
  sequence.pairs.some((pair) => pair.buyer !== buyer)

const actions = {
  handoff: {
    weight: 7,
    play: async ({ sequence, buyer }) => {
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} loads the page, which requests the handoff (also a reload, or another tab).`,
  },
  handoffs: {
    weight: 2,
    play: async ({ sequence, buyer }) => {
      if (!buyer.isOnPage) await sequence.open(buyer)
      await Promise.all([sequence.handoff(buyer), sequence.handoff(buyer)])
    },
    text: (buyer) => `Two tabs of buyer ${buyer} request the handoff at once.`,
  },
  'full-page': {
    weight: 2,
    isKnown: ({ routes }) => routes?.start !== undefined,
    play: async ({ sequence, buyer }) => {
      await sequence.open(buyer)
      await sequence.start(buyer)
    },
    text: (buyer) => `Buyer ${buyer} loads the page, and goes to the full page.`,
  },
  pay: {
    weight: 8,
    variants: outcomes,
    applies: ({ pair }) => pair !== undefined,
    play: async ({ sequence, pair, variant }) => {
      if (!pair) return
      const [card, code] = variant.split('-') as [Card, string | undefined]
      const status = await sequence.pay(pair, card)
      if (status !== 'requires_action') return
      await sequence.environment.settle(pair.id, code === 'passed' ? 'succeeded' : 'failed')
    },
    text: (buyer, variant, nth) =>
      `Buyer ${buyer} pays${nth > 1 ? ` in tab ${nth}` : ''}: ${variant.replace('-', ' ')}.`,
  },
  bank: {
    weight: 3,
    variants: ['succeeded', 'declined', 'failed'],
    applies: ({ pair }) => pair !== undefined,
    play: async ({ sequence, pair, variant }) => {
      const { status } = pair ? await sequence.environment.intent(pair.id) : {}
      if (!pair || status !== 'processing') return
      await sequence.environment.settle(pair.id, variant as 'succeeded' | 'declined' | 'failed')
    },
    text: (buyer, variant) =>
      `The bank decides about a processing payment of buyer ${buyer}: ${variant}.`,
  },
  poll: {
    weight: 4,
    applies: ({ buyer }) => buyer.isOnPage,
    play: ({ sequence, buyer }) => sequence.poll(buyer),
    text: (buyer) => `The page of buyer ${buyer} requests the status.`,
  },
  polls: {
    weight: 2,
    applies: ({ buyer }) => buyer.isOnPage,
    play: ({ sequence, buyer }) => Promise.all([1, 2, 3, 4].map(() => sequence.poll(buyer))),
    text: (buyer) => `Four tabs of buyer ${buyer} request the status at once.`,
  },
  close: {
    weight: 1,
    applies: ({ buyer }) => buyer.isOnPage,
    play: async ({ sequence, buyer }) => {
      buyer.isOnPage = false
      sequence.held = sequence.held.filter((pair) => pair.buyer !== buyer)
    },
    text: (buyer) => `Buyer ${buyer} closes all tabs.`,
  },
  edit: {
    weight: 3,
    isKnown: ({ edit }) => edit !== undefined,
    applies: ({ buyer }) => buyer.isOnPage,
    play: ({ sequence, buyer }) => sequence.edit(buyer),
    text: (buyer) => `Buyer ${buyer} changes the order.`,
  },
  finish: {
    weight: 2,
    isKnown: ({ finish }) => finish !== undefined,
    applies: ({ pair }) => pair !== undefined,
    play: async ({ sequence, buyer, pair }) => {
      if (!pair) return
      await finish(sequence, pair)
      await sequence.checkUnpaid(buyer)
    },
    text: (buyer) => `Buyer ${buyer} sends what the page sends after pi-finish.`,
  },
  'forged-status': {
    weight: 1,
    applies: ({ buyer }) => buyer.isOnPage,
    play: async ({ sequence, buyer, pair }) => {
      const { id = 'pi_forged' } = pair ?? {}
      const forged = {
        status: 'paid',
        phase: 'paid',
        paid: 'true',
        intentId: id,
        payment_intent: id,
      }
      await sequence.poll(buyer, forged)
      await sequence.poll(buyer)
      await sequence.checkUnpaid(buyer)
    },
    text: (buyer) => `Buyer ${buyer} adds ?status=paid to the status request.`,
  },
  'forged-price': {
    weight: 2,
    variants: ['handoff', 'order', 'edit', 'finish'],
    play: async ({ sequence, buyer, pair, variant }) => {
      const requests: Readonly<Record<string, () => Promise<unknown>>> = {
        handoff: () => sequence.handoff(buyer),
        order: () => sequence.open(buyer),
        edit: () => sequence.edit(buyer),
        finish: async () => pair && (await finish(sequence, pair)),
      }
      if (variant !== 'order' && !buyer.isOnPage) await sequence.open(buyer)
      for (const forgery of forgeries) {
        await sequence.forge(buyer, forgery, async () => await requests[variant]?.())
        if (variant !== 'handoff') await sequence.handoff(buyer)
      }
    },
    text: (buyer, variant) =>
      `Buyer ${buyer} sets amounts to ${forgedAmount} in body and address of ${forgedRequests[variant]}.`,
  },
  foreign: {
    weight: 2,
    isKnown: ({ buyers = 2 }) => buyers > 1,
    applies: hasOthers,
    variants: ['order', 'intent'],
    play: async ({ sequence, buyer, variant }) => {
      const other = sequence.pairs.findLast((pair) => pair.buyer !== buyer)
      if (!other) return
      const { id, orderId } = other
      if (variant === 'order') {
        await sequence.handoff(buyer, { orderId })
        await sequence.poll(buyer, { orderId })
        return
      }
      if (!buyer.isOnPage) await sequence.open(buyer)
      if (!sequence.pairs.some((pair) => pair.buyer === buyer)) await sequence.handoff(buyer)
      const own = sequence.pairs.findLast((pair) => pair.buyer === buyer)
      await sequence.pay(other, 'succeeds')
      await sequence.poll(buyer, { id, intentId: id, payment_intent: id })
      await sequence.pollForeign(buyer, other)
      if (own) await sequence.adapter.finish?.(buyer, { id, orderId: own.orderId })
      await sequence.checkUnpaid(buyer)
    },
    text: (buyer, variant) =>
      `Buyer ${buyer} sends the ${variant} id of another buyer${variant === 'intent' ? ', who has paid' : ''}.`,
  },
  'create-fault': {
    weight: 2,
    variants: faults,
    play: ({ sequence, variant }) => sequence.environment.addFault('create', variant),
    text: (_, variant) => `The next create has the fault ${variant}.`,
  },
  'retrieve-fault': {
    weight: 1,
    variants: faults,
    play: ({ sequence, variant }) => sequence.environment.addFault('retrieve', variant),
    text: (_, variant) => `The next retrieve has the fault ${variant}.`,
  },
  leave: {
    weight: 2,
    variants: ['half', 'whole'],
    applies: ({ buyer }) => buyer.isOnPage,
    play: async ({ sequence, buyer, variant }) => {
      const { orderId } = buyer
      await buyer.leave(sequence.routes.handoff, JSON.stringify({ orderId }), variant === 'half')
      await sleep(30)
      sequence.checkRunning()
    },
    text: (buyer, variant) =>
      `Buyer ${buyer} disconnects after ${variant === 'half' ? 'half of' : ''} the handoff request.`,
  },
  restart: {
    weight: 1,
    isKnown: ({ survivesRestart = false }) => survivesRestart,
    play: ({ sequence }) => sequence.restart(),
    text: () => 'The shop is killed, and starts again.',
  },
  crash: {
    weight: 2,
    isKnown: ({ survivesRestart = false }) => survivesRestart,
    applies: ({ pair }) => pair !== undefined,
    play: async ({ sequence, buyer, pair }) => {
      if (!pair) return
      await sequence.pay(pair, 'succeeds')
      await sequence.crash(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The shop is killed before it responds to the status request, and starts again.`,
  },
  follow: {
    weight: 2,
    applies: ({ pair }) => pair !== undefined,
    play: async ({ sequence, buyer, pair }) => {
      if (!pair) return
      await sequence.pay(pair, 'pending')
      await sequence.poll(buyer)
      sequence.wait(10)
      await sequence.poll(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The bank is processing the payment for 10 minutes, while the page requests the status.`,
  },
  wait: {
    weight: 2,
    applies: ({ sequence }) => sequence.pairs.length > 0,
    play: async ({ sequence }) => {
      sequence.wait(10)
      await sleep(200)
    },
    text: () => '10 minutes pass at the shop.',
  },
  expire: {
    weight: 1,
    applies: ({ sequence }) => sequence.pairs.length > 0,
    play: ({ sequence }) => sequence.environment.advance(pastExpiry),
    text: () => '25 hours pass at the service.',
  },
  reconcile: {
    weight: 1,
    isKnown: ({ reconcile }) => reconcile !== undefined,
    play: ({ sequence }) => sequence.adapter.reconcile?.() ?? Promise.resolve(),
    text: () => 'The shop reconciles.',
  },
} as const satisfies Record<string, Action>

type ActionName = keyof typeof actions

const byName: Readonly<Record<ActionName, Action>> = actions

export interface KnownAction {
  readonly name: ActionName
  readonly weight: number
  readonly variants: readonly string[]
}

export function knownActions(adapter: Adapter): readonly KnownAction[] {
  return (Object.keys(actions) as ActionName[])
    .filter((name) => byName[name].isKnown?.(adapter) ?? true)
    .map((name) => ({ name, weight: byName[name].weight, variants: byName[name].variants ?? [''] }))
}

/** Returns a step with the number of what it is about, of those that the buyer holds. */
export function settled(sequence: Sequence, step: Step): Step {
  const { buyer } = playedBy(sequence, step) ?? {}
  const count = sequence.held.filter((pair) => pair.buyer === buyer).length
  return { ...step, pair: step.pair % Math.max(count, 1) }
}

/** Returns the step in which the same buyer opens the page. */
export function handoffOf({ buyer }: Step): Step {
  return { action: 'handoff', buyer, pair: 0, variant: '' }
}

/** Returns whether a step has an effect now. */
export function applies(sequence: Sequence, step: Step): boolean {
  const played = playedBy(sequence, step)
  return played !== undefined && (byName[step.action].applies?.(played) ?? true)
}

export async function play(sequence: Sequence, step: Step): Promise<void> {
  const played = playedBy(sequence, step)
  if (!played) return
  await byName[step.action].play(played)
  sequence.checkRunning()
}

function playedBy(sequence: Sequence, { buyer: index, pair, variant }: Step): Played | undefined {
  const buyer = sequence.buyers[index % sequence.buyers.length]
  if (!buyer) return undefined
  const own = sequence.held.filter((each) => each.buyer === buyer)
  return { sequence, buyer, pair: own[pair % Math.max(own.length, 1)], variant }
}

export function describeStep({ action, buyer, pair, variant }: Step): string {
  return byName[action].text('ABCD'[buyer] ?? '', variant, pair + 1)
}

/** Writes a step for `--replay`, such as `pay.A.1.succeeds`. */
export function writeStep({ action, buyer, pair, variant }: Step): string {
  return [action, 'ABCD'[buyer], pair + 1, ...(variant ? [variant] : [])].join('.')
}

/**
 * Reads what `writeStep` wrote.
 *
 * @throws {TypeError} If there is no such action, buyer, or variant.
 */
export function readStep(text: string): Step {
  const [, name = '', buyer = '', pair, variant = ''] =
    /^([a-z-]+)\.([A-D])\.(\d)(?:\.([\w=-]+))?$/.exec(text) ?? []
  const action = (Object.keys(actions) as ActionName[]).find((each) => each === name)
  if (!action || !(byName[action].variants ?? ['']).includes(variant)) {
    throw new TypeError(`--replay: ${text} is not a step. Pass the line that a violation printed.`)
  }
  return { action, buyer: 'ABCD'.indexOf(buyer), pair: Number(pair) - 1, variant }
}
