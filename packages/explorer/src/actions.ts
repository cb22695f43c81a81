/** The actions of buyers, of the bank, of the network, and of the operator. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from './adapter.ts'
import { forgedAmount, forgeries } from './forgery.ts'
import type { Handoff } from './ledger.ts'
import type { Payment, Sequence } from './sequence.ts'

interface ActionOptions {
  /**
   * How often each variant is played, relative to the others.
   * @default 1
   */
  readonly weight?: number
  /** @default one variant without a name */
  readonly variants?: readonly string[]
  /** What the adapter must have. */
  readonly part?: keyof Adapter
  /** What it does, for people. */
  readonly text: (buyer: string, variant: string, nth: number) => string
}

/** An action of a buyer, or without one. */
interface BuyerAction extends ActionOptions {
  /** The page is opened first, if the buyer has none. */
  readonly needs?: 'page'
  readonly play: (sequence: Sequence, buyer: string, variant: string) => Promise<unknown>
}

/** An action with a payment. Without one that the buyer holds, a handoff is requested first. */
interface PaymentAction extends ActionOptions {
  readonly needs: 'payment'
  readonly play: (sequence: Sequence, payment: Handoff, variant: string) => Promise<unknown>
}

export type Action = BuyerAction | PaymentAction

export type ActionName = keyof typeof actions

/** Longer than an intent can be paid. */
const pastExpiry = 25 * 60 * 60 * 1000

/** What a forged amount is sent with. */
const forgedRequests: Readonly<Record<string, string>> = {
  handoff: 'the handoff request',
  order: 'the requests that place the order',
  edit: 'the requests that change the order',
  finish: 'the requests after pi-finish',
}

const otherThan = (buyer: string): string => (buyer === 'A' ? 'B' : 'A')

/** Each action by its name, as `--replay` writes it. */
export const actions = {
  handoff: {
    weight: 7,
    play: async (sequence, buyer) => {
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} loads the page, which requests the handoff (also a reload, or another tab).`,
  },
  handoffs: {
    weight: 2,
    needs: 'page',
    play: (sequence, buyer) => Promise.all([sequence.handoff(buyer), sequence.handoff(buyer)]),
    text: (buyer) => `Two tabs of buyer ${buyer} request the handoff at once.`,
  },
  pay: {
    needs: 'payment',
    variants: ['visa', 'visa', 'visa', 'declined', 'stolen', 'pending', 'pending', 'canceled'],
    play: (sequence, payment, variant) => sequence.pay(payment, variant as Payment),
    text: (buyer, variant, nth) =>
      `Buyer ${buyer} pays${nth > 1 ? ` in tab ${nth}` : ''}: ${variant}.`,
  },
  bank: {
    needs: 'payment',
    variants: ['succeeded', 'declined', 'failed'],
    play: async ({ environment }, { id }, variant) => {
      if ((await environment.intent(id)).status !== 'processing') return
      await environment.settle(id, variant as 'succeeded' | 'declined' | 'failed')
    },
    text: (buyer, variant) =>
      `The bank decides about a processing payment of buyer ${buyer}: ${variant}.`,
  },
  poll: {
    weight: 4,
    needs: 'page',
    play: (sequence, buyer) => sequence.poll(buyer),
    text: (buyer) => `The page of buyer ${buyer} requests the status.`,
  },
  polls: {
    weight: 2,
    needs: 'payment',
    play: async (sequence, payment) => {
      await sequence.pay(payment, 'visa')
      await Promise.all([1, 2, 3, 4].map(() => sequence.poll(payment.buyer)))
    },
    text: (buyer) => `Buyer ${buyer} pays. Four tabs request the status at once.`,
  },
  edit: {
    weight: 3,
    part: 'edit',
    needs: 'page',
    play: (sequence, buyer) => sequence.edit(buyer),
    text: (buyer) => `Buyer ${buyer} changes the order.`,
  },
  finish: {
    weight: 2,
    part: 'finish',
    needs: 'payment',
    play: (sequence, payment) => sequence.finish(payment.buyer, payment),
    text: (buyer) => `Buyer ${buyer} sends what the page sends after pi-finish.`,
  },
  'forged-status': {
    needs: 'payment',
    play: async (sequence, { buyer, id }) => {
      const ids = { intentId: id, payment_intent: id }
      await sequence.poll(buyer, { status: 'paid', phase: 'paid', paid: 'true', ...ids })
      await sequence.poll(buyer)
      await sequence.readRecord(buyer)
    },
    text: (buyer) => `Buyer ${buyer} adds ?status=paid to the status request.`,
  },
  'forged-price': {
    variants: Object.keys(forgedRequests),
    play: async (sequence, buyer, variant) => {
      const requests: Readonly<Record<string, () => Promise<unknown>>> = {
        handoff: () => sequence.handoff(buyer),
        order: () => sequence.open(buyer),
        edit: () => sequence.edit(buyer),
        finish: async () => {
          const payment = await sequence.held(buyer)
          if (payment) await sequence.finish(buyer, payment)
        },
      }
      if (variant !== 'order') await sequence.openFirst(buyer)
      for (const forgery of forgeries) {
        // Only a buyer without an open order places another one.
        if (variant === 'order' && sequence.ledger.buyer(buyer).isOnPage) await sequence.buy(buyer)
        await sequence.forge(buyer, forgery, async () => await requests[variant]?.())
        if (variant !== 'handoff') await sequence.handoff(buyer)
      }
    },
    text: (buyer, variant) =>
      `Buyer ${buyer} sets amounts to ${forgedAmount} in body and address of ${forgedRequests[variant]}.`,
  },
  'foreign-order': {
    needs: 'payment',
    play: async (sequence, { buyer, orderId }) => {
      const other = otherThan(buyer)
      await sequence.openFirst(other)
      await sequence.handoff(other, orderId)
      await sequence.poll(other, { orderId })
    },
    text: (buyer) => `Another buyer sends the order id of buyer ${buyer}.`,
  },
  'foreign-intent': {
    play: async (sequence, buyer) => {
      const other = otherThan(buyer)
      await sequence.held(other)
      const payment = await sequence.buy(buyer)
      if (!payment) return
      const { id, orderId } = payment
      await sequence.poll(other, { id, intentId: id, payment_intent: id })
      await sequence.poll(other, { orderId })
      const own = sequence.ledger.newest(other)
      if (own) await sequence.finish(other, { id, orderId: own.orderId })
    },
    text: (buyer) =>
      `Buyer ${buyer} loads the page, and pays. Another buyer sends the ids of that intent and order.`,
  },
  'create-fault': {
    variants: ['drop-after-commit', 'drop-before-commit', '503', 'truncate-body', 'delay=300'],
    play: ({ environment }, _, fault) => environment.addFault('create', fault),
    text: (_, fault) => `The next create has the fault ${fault}.`,
  },
  'retrieve-fault': {
    variants: ['503', 'truncate-body'],
    play: ({ environment }, _, fault) => environment.addFault('retrieve', fault),
    text: (_, fault) => `The next retrieve has the fault ${fault}.`,
  },
  leave: {
    variants: ['half', 'whole'],
    needs: 'page',
    play: (sequence, buyer, variant) => sequence.leave(buyer, variant === 'half'),
    text: (buyer, variant) =>
      `Buyer ${buyer} disconnects after ${variant === 'half' ? 'half of ' : ''}the handoff request.`,
  },
  restart: {
    part: 'survivesRestart',
    play: (sequence) => sequence.shop.restart(),
    text: () => 'The shop is killed, and starts again.',
  },
  crash: {
    weight: 2,
    part: 'survivesRestart',
    needs: 'payment',
    play: async (sequence, payment) => {
      await sequence.pay(payment, 'visa')
      await sequence.crash(payment.buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The shop is killed before it responds to the status request, and starts again.`,
  },
  follow: {
    weight: 2,
    needs: 'payment',
    play: async (sequence, payment) => {
      await sequence.pay(payment, 'pending')
      await sequence.poll(payment.buyer)
      sequence.shop.wait(10)
      await sequence.poll(payment.buyer)
    },
    text: (buyer) =>
      `Buyer ${buyer} pays. The bank is processing the payment for 10 minutes, while the page requests the status.`,
  },
  wait: {
    weight: 2,
    play: async (sequence) => {
      sequence.shop.wait(10)
      await sleep(200)
    },
    text: () => '10 minutes pass at the shop.',
  },
  expire: {
    play: ({ environment }) => environment.advance(pastExpiry),
    text: () => '25 hours pass at the service.',
  },
} as const satisfies Record<string, Action>
