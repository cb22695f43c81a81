/** What a shop must never do, and what it must have done in the end: pure functions over the log of a sequence. @module */
import type { Event, HandoffEvent, Intent, Log, RecordEvent, StatusEvent } from './events.ts'
import { forgedAmount } from './forgery.ts'
import { type Handoff, Ledger } from './ledger.ts'

/** The rules, each with what a violation means. */
export const rules = {
  double_payment: 'The buyer paid twice for one order.',
  payment_lost: 'The buyer paid, and the shop does not know it.',
  false_paid: 'The shop says paid, but that amount has not been paid.',
  paid_unreviewed: 'The buyer paid more than the order needs, and the shop does not review it.',
  not_payable: 'The payment failed, and the order cannot be paid again.',
  wrong_price: 'The payment has another amount or currency than the order.',
  price_from_browser: 'The price came from the browser.',
  session_mixed: 'A buyer got the payment of another buyer.',
  secret_exposed: 'A secret is where it must not be.',
  shop_exited: 'The process of the shop ended.',
  fulfilled_twice: 'The shop fulfilled one order twice.',
  fulfilled_unpaid: 'The shop fulfilled an order that is not paid.',
  not_fulfilled: 'The shop did not fulfil a paid order.',
} as const

/** Name of a rule. */
export type Rule = keyof typeof rules

/** A rule that a log breaks. */
export interface Violation {
  readonly rule: Rule
  /** What happened, and how to correct it. */
  readonly detail: string
  /** The order that it is about, if it may still be corrected. */
  readonly orderId?: string | undefined
}

const proof = 'Only the status that your server retrieves is proof.'
const ownSession = "Find the order by the buyer's session."

/**
 * Returns what no later event can correct.
 *
 * @param log - Of a sequence, also of one that has not ended.
 */
export function violationIn({ events, ...log }: Log): Violation | undefined {
  const ledger = new Ledger()
  for (const event of events) {
    const violation = judge(event, ledger)
    if (violation) return violation
    ledger.add(event)
  }
  const output = events.at(-1)
  return (
    doublePayment(ledger) ??
    (output?.type === 'output' ? exposedSecret({ ...log, events }, ledger) : undefined)
  )
}

/** Returns what the shop still has to do in this stage of the end. */
export function unsettledIn({ events }: Log): Violation | undefined {
  const ledger = new Ledger(events)
  if (ledger.stage === 'retry') return notPayable(ledger)
  if (ledger.stage === 'away') return lostPayment(ledger) ?? unreviewed(ledger)
  return ledger.stage === 'back' ? (unknownToBuyer(ledger) ?? unfulfilled(ledger)) : undefined
}

function broken(rule: Rule, detail: string, orderId?: string): Violation {
  return { rule, detail, orderId }
}

/** Judges an event by what happened before it. */
function judge(event: Event, ledger: Ledger): Violation | undefined {
  if (event.type === 'handoff') return judgeHandoff(event, ledger)
  if (event.type === 'status') return judgeStatus(event, ledger)
  if (event.type === 'record') return judgeRecord(event, ledger)
  return event.type === 'exited' ? broken('shop_exited', event.reason) : undefined
}

function judgeHandoff(event: HandoffEvent, ledger: Ledger): Violation | undefined {
  const { id, orderId, amount, currency } = event.intent
  const known = ledger.handoffs.find((handoff) => handoff.id === id)
  if (known && known.buyer !== event.buyer) {
    const detail = `The handoff gave intent ${id} to ${event.buyer}, and before to ${known.buyer}.`
    return broken('session_mixed', `${detail} ${ownSession}`)
  }
  if (amount === forgedAmount) {
    const detail = `A request with "amount": ${forgedAmount} led to intent ${id} of ${amount} ${currency}.`
    return broken('price_from_browser', `${detail} Take the price from your own records.`)
  }
  const { amount: price = amount, currency: unit = currency } = ledger.order(orderId).placed
  if (price !== amount || unit !== currency) {
    const detail = `Intent ${id} of order ${orderId} is ${amount} ${currency}, and the order costs ${price} ${unit}.`
    return broken('wrong_price', `${detail} Read amount and currency from your records.`)
  }
  const other = event.before.find(
    (intent) => intent.orderId === orderId && intent.id !== id && isOnItsWay(intent),
  )
  if (!other) return undefined
  const detail = `The handoff gave intent ${id} of order ${orderId}, although intent ${other.id} of it was ${other.status}.`
  return broken('double_payment', `${detail} Retrieve every open intent of the order first.`)
}

function judgeStatus(event: StatusEvent, ledger: Ledger): Violation | undefined {
  const { buyer, orderId, phase, intents } = event
  if (phase !== 'paid') return undefined
  const paid = ledger.paid(intents).filter((handoff) => handoff.buyer === buyer)
  if (!ledger.isOwnStatus(event)) {
    const owner = ledger.handoffs.find((handoff) => handoff.orderId === orderId)?.buyer ?? buyer
    if (owner === buyer || paid.length > 0) return undefined
    const detail = `The status of order ${orderId} of ${owner} is shown to ${buyer}.`
    return broken('session_mixed', `${detail} ${ownSession}`)
  }
  const own = paid.filter((handoff) => orderId === undefined || handoff.orderId === orderId)
  if (own.length > 0) return firstOf(own, (each) => wrongAmount(each.orderId, own, ledger))
  const about = orderId === undefined ? `order of ${buyer}` : `order ${orderId}`
  const detail = `The shop says that the ${about} is paid, and no intent that ${buyer} got has succeeded.`
  return broken('false_paid', `${detail} ${proof}`)
}

function judgeRecord(event: RecordEvent, ledger: Ledger): Violation | undefined {
  const { orderId, state, fulfilments = 0, intents } = event
  const paid = intents.some((each) => each.orderId === orderId && each.status === 'succeeded')
  if (fulfilments > 1) {
    const detail = `The shop fulfilled order ${orderId} ${fulfilments} times.`
    const fix = 'Fulfil it once, when a row changes from unpaid to paid.'
    return broken('fulfilled_twice', `${detail} ${fix}`)
  }
  if (fulfilments > 0 && !paid) {
    const detail = `The shop fulfilled order ${orderId}, and no intent of it has succeeded.`
    return broken('fulfilled_unpaid', `${detail} ${proof}`)
  }
  if (state !== 'paid') return undefined
  if (paid) return wrongAmount(orderId, ledger.paid(intents), ledger)
  const detail = `The shop's record of order ${orderId} is "paid", and no intent of it has succeeded.`
  return broken('false_paid', `${detail} ${proof}`)
}

/** The shop says that an order is paid: one of its payments must have its amount. */
function wrongAmount(
  orderId: string,
  paid: readonly Handoff[],
  ledger: Ledger,
): Violation | undefined {
  const { amount } = ledger.order(orderId)
  const own = paid.filter((handoff) => handoff.orderId === orderId)
  const [first] = own
  if (!first || amount === undefined || own.some((each) => each.amount === amount)) return undefined
  const detail = `The shop says that order ${orderId} of ${amount} ${first.currency} is paid, and intent ${first.id} paid ${first.amount}.`
  return broken('false_paid', `${detail} Compare amount and currency.`)
}

function doublePayment(ledger: Ledger): Violation | undefined {
  const paid = ledger.paid()
  return firstOf(paid, ({ id, buyer, purchase, orderId, amount, currency }, index) => {
    const isOfPurchase = (other: Handoff): boolean =>
      other.orderId === orderId || (other.buyer === buyer && other.purchase === purchase)
    const earlier = paid.slice(0, index)
    const twin = earlier.find((other) => other.amount === amount && isOfPurchase(other))
    if (!twin) return undefined
    const isSame = twin.orderId === orderId
    const where = isSame ? `order ${orderId}` : `orders ${twin.orderId} and ${orderId}`
    return broken(
      'double_payment',
      `Intents ${twin.id} and ${id} of ${where} are both paid, ${amount} ${currency} each, for one purchase of ${buyer}.`,
    )
  })
}

/** A shop must offer another intent after a payment that failed. */
function notPayable(ledger: Ledger): Violation | undefined {
  return firstOf(ledger.buyers, ([name, { retried }]) => {
    if (retried === undefined || isPayable(retried)) return undefined
    const orderId = ledger.newest(name)?.orderId
    const intent = typeof retried === 'object' && `intent ${retried.id}, which is ${retried.status}`
    const detail = `No payment of order ${orderId} is paid or processing, and a new handoff returns ${intent || retried || 'no response'}.`
    const fix = 'An order that failed, or that its buyer left, must be payable again.'
    return broken('not_payable', `${detail} ${fix}`, orderId)
  })
}

/** Returns whether a request for a handoff led to an intent that can be paid, or is paid. */
export function isPayable(retried: Intent | number): boolean {
  return typeof retried === 'object' && !/^(?:failed|canceled|expired)$/.test(retried.status)
}

/** Returns whether an intent has succeeded, or may still succeed without its buyer. */
export function isOnItsWay({ status }: Intent): boolean {
  return status === 'succeeded' || status === 'processing'
}

/** The shop must learn of each payment although its buyer does not come back. */
function lostPayment(ledger: Ledger): Violation | undefined {
  return firstOf(ledger.paid(), (handoff) => {
    const { id, orderId } = handoff
    const state = ledger.records.get(orderId)?.state
    // A payment of an earlier version of the order may need a person.
    const accepted: readonly string[] = ledger.isPaid(orderId) ? ['paid'] : ['paid', 'review']
    if (state === undefined || accepted.includes(state)) return undefined
    if (isReviewed(handoff, ledger)) return undefined
    const detail = `Intent ${id} of order ${orderId} is paid, and the shop's record of the order stays "${state}", not "${accepted.join('" or "')}".`
    const fix = 'Retrieve the intents of open orders regularly: see reconcile().'
    return broken('payment_lost', `${detail} ${fix}`, orderId)
  })
}

/** At most one payment pays for an order. Every other one must be under review. */
function unreviewed(ledger: Ledger): Violation | undefined {
  const paid = ledger.paid()
  return firstOf(paid, ({ orderId }) => {
    const reviews = ledger.records.get(orderId)?.reviews
    const ids = paid.filter((handoff) => handoff.orderId === orderId).map(({ id }) => id)
    const missing = ids.filter((id) => reviews && !reviews.includes(id))
    if (missing.length <= 1) return undefined
    const detail = `Intents ${missing.join(' and ')} of order ${orderId} are paid, and at most one pays for it. The shop lists none of them for a review.`
    const fix = 'Keep each intent of an order, and retrieve it until its status is final.'
    return broken('paid_unreviewed', `${detail} ${fix}`, orderId)
  })
}

/** Returns whether the buyer left the order for another one, and the shop reviews its payment. */
function isReviewed({ buyer, orderId, id }: Handoff, ledger: Ledger): boolean {
  const isLeft = ledger.buyer(buyer).orderId !== orderId
  return isLeft && (ledger.records.get(orderId)?.reviews?.includes(id) ?? false)
}

/** A buyer who comes back must see that the order is paid. */
function unknownToBuyer(ledger: Ledger): Violation | undefined {
  return firstOf(ledger.shownAsPaid(), (handoff) => {
    const { id, buyer, orderId } = handoff
    const phase = ledger.phase(buyer, orderId)
    if (phase === undefined || phase === 'paid' || isReviewed(handoff, ledger)) return undefined
    const detail = `Intent ${id} of order ${orderId} is paid, and the shop does not say so to ${buyer}.`
    return broken('payment_lost', detail, orderId)
  })
}

function unfulfilled(ledger: Ledger): Violation | undefined {
  return firstOf([...ledger.records.values()], ({ orderId, fulfilments }) => {
    if (fulfilments !== 0 || !ledger.isPaid(orderId)) return undefined
    const detail = `Order ${orderId} is paid, and the shop did not fulfil it.`
    const fix = 'Fulfil it when its row becomes paid, also if no page asks for the status.'
    return broken('not_fulfilled', `${detail} ${fix}`, orderId)
  })
}

/** The API key is nowhere, and a `clientSecret` only in the body of a handoff. */
function exposedSecret({ apiKey, handoffPath, events }: Log, ledger: Ledger) {
  const secrets = [apiKey, ...ledger.handoffs.map(({ clientSecret }) => clientSecret)]
  const isIn = (text: string) => (secret: string) => text.includes(secret)
  return firstOf(events, (event) => {
    if (event.type === 'response') {
      const { method, path, head, body } = event
      const isHandoff = path.split('?')[0] === handoffPath
      const isExposed = isHandoff
        ? secrets.some(isIn(head)) || body.includes(apiKey)
        : secrets.some(isIn(head + body))
      if (!isExposed) return undefined
      const fix = 'The API key is in no response, a clientSecret only in that to the handoff.'
      return broken('secret_exposed', `${method} ${path} returned a secret. ${fix}`)
    }
    if (event.type !== 'output') return undefined
    const line = event.lines.find((text) => secrets.some(isIn(text)))
    if (line !== undefined) {
      const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line)
      return broken('secret_exposed', `The shop printed a secret: ${shown}`)
    }
    return event.lint.includes('secret_in_url')
      ? broken('secret_exposed', 'A clientSecret was in the address of a request.')
      : undefined
  })
}

function firstOf<Item>(
  items: readonly Item[],
  judgeItem: (item: Item, index: number) => Violation | undefined,
): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const violation = judgeItem(item, index)
    if (violation) return violation
  }
  return undefined
}
