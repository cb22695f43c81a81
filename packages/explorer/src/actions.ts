/** The actions of buyers, of the bank, of the network, and of the operator. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from './adapter.ts'
import { forgedAmount, forgeries } from './forgery.ts'
import type { Payment } from './hosted-page.ts'
import type { Handoff, Ledger } from './ledger.ts'
import type { Sequence } from './sequence.ts'

/** One action, as it is generated, printed, and replayed. */
export interface Step {
  readonly action: ActionName
  /** `A`, `B`, and so on. */
  readonly buyer: string
  /** Index of what the buyer holds. */
  readonly tab: number
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
  readonly applies?: (situation: Situation) => boolean
  readonly play: (sequence: Sequence, situation: Situation) => Promise<unknown>
  /** What it does, for people. */
  readonly text: (buyer: string, variant: string, nth: number) => string
}

/** What a step is about. */
interface Situation {
  readonly ledger: Ledger
  readonly buyer: string
  /** What the step is about, if the buyer holds something. */
  readonly handoff: Handoff | undefined
  readonly variant: string
}

/** Longer than an intent can be paid. */
const pastExpiry = 25 * 60 * 60 * 1000

const outcomes: readonly (Payment | 'challenge-passed' | 'challenge-denied')[] = [
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

const holds = ({ handoff }: Situation): boolean => handoff !== undefined
const isOnPage = ({ ledger, buyer }: Situation): boolean => ledger.buyer(buyer).isOnPage
const hasHandoffs = ({ ledger }: Situation): boolean => ledger.handoffs.length > 0
const ofOther = ({ ledger, buyer }: Situation): Handoff | undefined =>
  ledger.handoffs.findLast((handoff) => handoff.buyer !== buyer)

async function openIfClosed(sequence: Sequence, buyer: string): Promise<void> {
  if (!sequence.ledger.buyer(buyer).isOnPage) await sequence.open(buyer)
}

const actions = {
  handoff: {
    weight: 7,
    play: async (sequence, { buyer }) => {
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} loads the page, which requests the handoff (also a reload, or another tab).`,
  },
  handoffs: {
    weight: 2,
    play: async (sequence, { buyer }) => {
      await openIfClosed(sequence, buyer)
      await Promise.all([sequence.handoff(buyer), sequence.handoff(buyer)])
    },
    text: (buyer) => `Two tabs of buyer ${buyer} request the handoff at once.`,
  },
  pay: {
    weight: 10,
    variants: outcomes,
    applies: holds,
    play: async (sequence, { handoff, variant }) => {
      if (!handoff) return
      const [payment, code] = variant.split('-') as [Payment, string | undefined]
      const status = await sequence.pay(handoff, payment)
      if (status !== 'requires_action') return
      await sequence.environment.settle(handoff.id, code === 'passed' ? 'succeeded' : 'failed')
    },
    text: (buyer, variant, nth) =>
      `Buyer ${buyer} pays${nth > 1 ? ` in tab ${nth}` : ''}: ${variant.replace('-', ' ')}.`,
  },
  bank: {
    weight: 3,
    variants: ['succeeded', 'declined', 'failed'],
    applies: holds,
    play: async ({ environment }, { handoff, variant }) => {
      if (!handoff || (await environment.intent(handoff.id)).status !== 'processing') return
      await environment.settle(handoff.id, variant as 'succeeded' | 'declined' | 'failed')
    },
    text: (buyer, variant) =>
      `The bank decides about a processing payment of buyer ${buyer}: ${variant}.`,
  },
  poll: {
    weight: 4,
    applies: isOnPage,
    play: (sequence, { buyer }) => sequence.poll(buyer),
    text: (buyer) => `The page of buyer ${buyer} requests the status.`,
  },
  polls: {
    weight: 2,
    applies: isOnPage,
    play: (sequence, { buyer }) => Promise.all([1, 2, 3, 4].map(() => sequence.poll(buyer))),
    text: (buyer) => `Four tabs of buyer ${buyer} request the status at once.`,
  },
  close: {
    weight: 1,
    applies: isOnPage,
    play: async (sequence, { buyer }) => sequence.add({ type: 'page-closed', buyer }),
    text: (buyer) => `Buyer ${buyer} closes all tabs.`,
  },
  edit: {
    weight: 3,
    isKnown: ({ edit }) => edit !== undefined,
    applies: isOnPage,
    play: (sequence, { buyer }) => sequence.edit(buyer),
    text: (buyer) => `Buyer ${buyer} changes the order.`,
  },
  finish: {
    weight: 2,
    isKnown: ({ finish }) => finish !== undefined,
    applies: holds,
    play: async (sequence, { buyer, handoff }) => {
      if (handoff) await sequence.finish(buyer, handoff)
      await sequence.readNewestRecord(buyer)
    },
    text: (buyer) => `Buyer ${buyer} sends what the page sends after pi-finish.`,
  },
  'forged-status': {
    weight: 1,
    applies: isOnPage,
    play: async (sequence, { buyer, handoff }) => {
      const { id = 'pi_forged' } = handoff ?? {}
      const ids = { intentId: id, payment_intent: id }
      await sequence.poll(buyer, { status: 'paid', phase: 'paid', paid: 'true', ...ids })
      await sequence.poll(buyer)
      await sequence.readNewestRecord(buyer)
    },
    text: (buyer) => `Buyer ${buyer} adds ?status=paid to the status request.`,
  },
  'forged-price': {
    weight: 4,
    variants: Object.keys(forgedRequests),
    play: async (sequence, { buyer, handoff, variant }) => {
      const requests: Readonly<Record<string, () => Promise<unknown>>> = {
        handoff: () => sequence.handoff(buyer),
        order: () => sequence.open(buyer),
        edit: () => sequence.edit(buyer),
        finish: async () => handoff && (await sequence.finish(buyer, handoff)),
      }
      if (variant !== 'order') await openIfClosed(sequence, buyer)
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
    variants: ['order', 'intent'],
    applies: (situation) => ofOther(situation) !== undefined,
    play: async (sequence, situation) => {
      const { buyer, variant, ledger } = situation
      const other = ofOther(situation)
      if (!other) return
      const { id, orderId } = other
      if (variant === 'order') {
        await sequence.handoff(buyer, orderId)
        await sequence.poll(buyer, { orderId })
        return
      }
      await openIfClosed(sequence, buyer)
      if (!ledger.newest(buyer)) await sequence.handoff(buyer)
      const own = ledger.newest(buyer)
      await sequence.pay(other, 'succeeds')
      await sequence.poll(buyer, { id, intentId: id, payment_intent: id })
      await sequence.poll(buyer, { orderId })
      if (own) await sequence.finish(buyer, { id, orderId: own.orderId })
      await sequence.readNewestRecord(buyer)
    },
    text: (buyer, variant) =>
      `Buyer ${buyer} sends the ${variant} id of another buyer${variant === 'intent' ? ', who has paid' : ''}.`,
  },
  'create-fault': {
    weight: 2,
    variants: faults,
    play: ({ environment }, { variant }) => environment.addFault('create', variant),
    text: (_, variant) => `The next create has the fault ${variant}.`,
  },
  'retrieve-fault': {
    weight: 1,
    variants: faults,
    play: ({ environment }, { variant }) => environment.addFault('retrieve', variant),
    text: (_, variant) => `The next retrieve has the fault ${variant}.`,
  },
  leave: {
    weight: 2,
    variants: ['half', 'whole'],
    applies: isOnPage,
    play: (sequence, { buyer, variant }) => sequence.leave(buyer, variant === 'half'),
    text: (buyer, variant) =>
      `Buyer ${buyer} disconnects after ${variant === 'half' ? 'half of ' : ''}the handoff request.`,
  },
  restart: {
    weight: 1,
    isKnown: ({ survivesRestart = false }) => survivesRestart,
    play: (sequence) => sequence.restart(),
    text: () => 'The shop is killed, and starts again.',
  },
  crash: {
    weight: 2,
    isKnown: ({ survivesRestart = false }) => survivesRestart,
    applies: holds,
    play: async (sequence, { buyer, handoff }) => {
      if (handoff) await sequence.pay(handoff, 'succeeds')
      await sequence.crash(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The shop is killed before it responds to the status request, and starts again.`,
  },
  follow: {
    weight: 2,
    applies: holds,
    play: async (sequence, { buyer, handoff }) => {
      if (handoff) await sequence.pay(handoff, 'pending')
      await sequence.poll(buyer)
      sequence.wait(10)
      await sequence.poll(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The bank is processing the payment for 10 minutes, while the page requests the status.`,
  },
  wait: {
    weight: 2,
    applies: hasHandoffs,
    play: async (sequence) => {
      sequence.wait(10)
      await sleep(200)
    },
    text: () => '10 minutes pass at the shop.',
  },
  expire: {
    weight: 1,
    applies: hasHandoffs,
    play: ({ environment }) => environment.advance(pastExpiry),
    text: () => '25 hours pass at the service.',
  },
} as const satisfies Record<string, Action>

type ActionName = keyof typeof actions

const byName: Readonly<Record<ActionName, Action>> = actions
const names = Object.keys(actions) as ActionName[]

/**
 * Returns a function that deals random steps of those that the adapter knows. Like a deck of cards, it deals each action
 * as often as its weight before it deals one again, so that a rare action comes soon.
 *
 * @param random - Returns numbers from 0 (included) to 1 (excluded).
 */
export function stepDealer(random: () => number, adapter: Adapter): () => Step {
  const oneOf = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item
  // Most faults need several actions of one buyer.
  const buyers = ['A', 'A', ...'ABCD'.slice(0, adapter.buyers ?? 2)]
  const deck = names.filter((name) => byName[name].isKnown?.(adapter) ?? true).flatMap(cardsOf)
  let left: Card[] = []
  return () => {
    if (left.length === 0) left = [...deck]
    const [{ action, variants }] = left.splice(Math.floor(random() * left.length), 1) as [Card]
    return { action, buyer: oneOf(buyers), tab: oneOf([0, 1, 2]), variant: oneOf(variants) }
  }
}

interface Card {
  readonly action: ActionName
  readonly variants: readonly string[]
}

/** Returns as many cards as the weight of an action, with one variant each if there are not more variants. */
function cardsOf(action: ActionName): readonly Card[] {
  const { weight, variants = [''] } = byName[action]
  return Array.from({ length: weight }, (_, index) => {
    const variant = variants[index % variants.length] as string
    return { action, variants: variants.length > weight ? variants : [variant] }
  })
}

/** Returns the step with the tab that exists. A buyer for whom it has no effect opens the page instead. */
export function fitted(step: Step, ledger: Ledger): Step {
  if (!applies(step, ledger)) return { action: 'handoff', buyer: step.buyer, tab: 0, variant: '' }
  return { ...step, tab: step.tab % Math.max(ledger.buyer(step.buyer).held.length, 1) }
}

/** Returns whether a step has an effect now. */
export function applies(step: Step, ledger: Ledger): boolean {
  return byName[step.action].applies?.(situationOf(step, ledger)) ?? true
}

export async function play(step: Step, sequence: Sequence): Promise<void> {
  sequence.add({ type: 'step', step: writeStep(step) })
  await byName[step.action].play(sequence, situationOf(step, sequence.ledger))
}

function situationOf({ buyer, tab, variant }: Step, ledger: Ledger): Situation {
  const { held } = ledger.buyer(buyer)
  return { ledger, buyer, handoff: held[tab % Math.max(held.length, 1)], variant }
}

export function describeStep({ action, buyer, tab, variant }: Step): string {
  return byName[action].text(buyer, variant, tab + 1)
}

/** Writes a step for `--replay`, such as `pay.A.1.succeeds`. */
export function writeStep({ action, buyer, tab, variant }: Step): string {
  return [action, buyer, tab + 1, ...(variant ? [variant] : [])].join('.')
}

/**
 * Reads what `writeStep` wrote.
 *
 * @throws {TypeError} If there is no such action, buyer, or variant.
 */
export function readStep(text: string): Step {
  const [, name = '', buyer = '', tab, variant = ''] =
    /^([a-z-]+)\.([A-D])\.([1-9])(?:\.([\w=-]+))?$/.exec(text) ?? []
  const action = names.find((each) => each === name)
  if (!action || !(byName[action].variants ?? ['']).includes(variant)) {
    throw new TypeError(`--replay: ${text} is not a step. Pass the line that a violation printed.`)
  }
  return { action, buyer, tab: Number(tab) - 1, variant }
}
