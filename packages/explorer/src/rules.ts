/** What a shop must never do, and what it must have done in the end: pure functions over the log of a sequence. @module */
import type { Event } from './events.ts'
import { forgedAmount } from './forgery.ts'
import { type Handoff, isOnItsWay, isPayable, Ledger } from './ledger.ts'

/**
 * What a shop is given time for at the end. `retry`: buyers whose payment failed request another one. `away`: all is
 * paid, and no buyer comes back. `back`: every buyer comes back.
 */
export type Stage = 'retry' | 'away' | 'back'

interface RuleText {
  /** What a violation means. */
  readonly title: string
  /** How to correct it. */
  readonly fix: string
  /** Returns what happened if an event, which the ledger contains, breaks the rule. */
  readonly brokenBy?: (event: Event, ledger: Ledger) => string | undefined
  /** Return what the shop has not done yet. */
  readonly missing?: Partial<Record<Stage, (ledger: Ledger) => string | undefined>>
}

const apiKey = /pi_sk_test_[A-Za-z0-9]{16}_[A-Za-z0-9]{36}/
const secret = /pi_sk_test_[A-Za-z0-9]{16}_[A-Za-z0-9]{36}|pi_[A-Za-z0-9]+_secret_[0-9a-f]{64}/

/** Each rule by its name. The first one that is broken counts. */
export const rules = {
  session_mixed: {
    title: 'A buyer got the payment of another buyer.',
    fix: "Find the order by the buyer's session.",
    brokenBy: mixedSession,
  },
  price_from_browser: {
    title: 'The price came from the browser.',
    fix: 'Take the price from your own records.',
    brokenBy: (event) => {
      if (event.type !== 'handoff' || event.given?.amount !== forgedAmount) return undefined
      const { id, amount, currency } = event.given
      return `A request with "amount": ${forgedAmount} led to intent ${id} of ${amount} ${currency}.`
    },
  },
  wrong_price: {
    title: 'The payment has another amount or currency than the order.',
    fix: 'Read amount and currency from your records.',
    brokenBy: (event, ledger) => {
      if (event.type !== 'handoff' || !event.given) return undefined
      const { id, orderId, amount, currency } = event.given
      const { amount: price = amount, currency: unit = currency } = ledger.order(orderId).placed
      if (price === amount && unit === currency) return undefined
      return `Intent ${id} of order ${orderId} is ${amount} ${currency}, and the order costs ${price} ${unit}.`
    },
  },
  fulfilled_twice: {
    title: 'The shop fulfilled one order twice.',
    fix: 'Fulfil it once, when a row changes from unpaid to paid.',
    brokenBy: (event) => {
      if (event.type !== 'record' || (event.record.fulfilments ?? 0) <= 1) return undefined
      return `The shop fulfilled order ${event.orderId} ${event.record.fulfilments} times.`
    },
  },
  false_paid: {
    title: 'The shop says paid, or fulfilled the order, but that amount has not been paid.',
    fix: 'Only the status that your server retrieves is proof. Compare amount and currency.',
    brokenBy: falsePaid,
  },
  double_payment: {
    title: 'The buyer paid twice for one order.',
    fix: 'Retrieve every open intent of the order before you create another one.',
    brokenBy: doublePayment,
  },
  secret_exposed: {
    title: 'A secret is where it must not be.',
    fix: 'The API key is in no response, a clientSecret only in that to the handoff.',
    brokenBy: exposedSecret,
  },
  shop_exited: {
    title: 'The process of the shop ended.',
    fix: 'Catch the errors of each request.',
    brokenBy: (event) => (event.type === 'exited' ? event.reason : undefined),
  },
  not_payable: {
    title: 'The payment failed, and the order cannot be paid again.',
    fix: 'An order that failed, or that its buyer left, must be payable again.',
    missing: { retry: unpayable },
  },
  payment_lost: {
    title: 'The buyer paid, and the shop does not know it.',
    fix: 'Retrieve the intents of open orders regularly: see reconcile().',
    missing: { away: unrecorded, back: unshown },
  },
  paid_unreviewed: {
    title: 'The buyer paid more than the order needs, and the shop does not review it.',
    fix: 'Keep each intent of an order, and retrieve it until its status is final.',
    missing: { away: unreviewed },
  },
  not_fulfilled: {
    title: 'The shop did not fulfil a paid order.',
    fix: 'Fulfil it when its row becomes paid, also if no page asks for the status.',
    missing: { back: unfulfilled },
  },
} as const satisfies Record<string, RuleText>

export type Rule = keyof typeof rules

/** A rule that a log breaks. */
export interface Violation {
  readonly rule: Rule
  /** What happened, and how to correct it. */
  readonly detail: string
}

/** Returns the first violation in the events of a sequence, also of one that has not ended. */
export function violationIn(events: readonly Event[]): Violation | undefined {
  const ledger = new Ledger()
  for (const event of events) {
    ledger.add(event)
    const violation = firstOf(({ brokenBy }) => brokenBy?.(event, ledger))
    if (violation) return violation
  }
  return undefined
}

/** Returns what the shop has not done yet in a stage of the end. It is a violation if it stays so. */
export function missingIn(events: readonly Event[], stage: Stage): Violation | undefined {
  const ledger = new Ledger(events)
  return firstOf(({ missing }) => missing?.[stage]?.(ledger))
}

function firstOf(judge: (rule: RuleText) => string | undefined): Violation | undefined {
  for (const [rule, text] of Object.entries(rules)) {
    const facts = judge(text)
    if (facts !== undefined) return { rule: rule as Rule, detail: `${facts} ${text.fix}` }
  }
  return undefined
}

function mixedSession(event: Event, ledger: Ledger): string | undefined {
  if (event.type === 'handoff' && event.given) {
    const { id } = event.given
    const other = ledger.handoffs.find((each) => each.id === id && each.buyer !== event.buyer)
    return other && `The handoff gave intent ${id} to ${event.buyer}, and before to ${other.buyer}.`
  }
  if (event.type !== 'status' || event.phase !== 'paid') return undefined
  const { buyer, orderId } = event
  const owner = ledger.handoffs.find((handoff) => handoff.orderId === orderId)?.buyer ?? buyer
  const hasPaid = ledger.paid().some((handoff) => handoff.buyer === buyer)
  if (ledger.current(buyer) === orderId || owner === buyer || hasPaid) return undefined
  return `The status of order ${orderId} of ${owner} is shown to ${buyer}.`
}

/** The status or the record says paid: an intent must have succeeded, and one with the amount of the order. */
function falsePaid(event: Event, ledger: Ledger): string | undefined {
  if (event.type !== 'record' && event.type !== 'status') return undefined
  const { type, orderId = '' } = event
  const isStatus = type === 'status'
  const isFulfilled = !isStatus && event.record.fulfilments
  if (!isFulfilled && (isStatus ? event.phase : event.record.state) !== 'paid') return undefined
  // A status that is shown to another buyer breaks another rule.
  if (isStatus && ledger.current(event.buyer) !== event.orderId) return undefined
  // Another buyer's payment does not pay for what this one sees.
  const paid = ledger
    .paid()
    .filter((each) => each.orderId === orderId && (!isStatus || each.buyer === event.buyer))
  const price = ledger.amount(orderId)
  if (paid.some(({ amount }) => amount === (price ?? amount))) return undefined
  const order = event.orderId === undefined ? "the buyer's order" : `order ${orderId}`
  const claim = isFulfilled ? `The shop fulfilled ${order}` : `The ${type} of ${order} is "paid"`
  const wrong = paid.map(({ id, amount }) => `intent ${id} paid ${amount} instead of ${price}`)
  const none = `no intent ${isStatus ? `that ${event.buyer} got` : 'of it'} has succeeded`
  return `${claim}, and ${wrong.join(', ') || none}.`
}

/** Two payments of one purchase, or another intent while one is on its way. */
function doublePayment(event: Event, ledger: Ledger): string | undefined {
  if (event.type === 'handoff' && event.given) {
    const { id, orderId } = event.given
    const other = ledger.intents.find(
      (intent) => intent.orderId === orderId && intent.id !== id && isOnItsWay(intent),
    )
    return (
      other &&
      `The handoff gave intent ${id} of order ${orderId}, although intent ${other.id} of it was ${other.status}.`
    )
  }
  if (event.type !== 'intents') return undefined
  const paid = ledger.paid()
  for (const [index, { id, buyer, purchase, orderId, amount, currency }] of paid.entries()) {
    const isOfPurchase = (other: Handoff): boolean =>
      other.orderId === orderId || (other.buyer === buyer && other.purchase === purchase)
    const earlier = paid.slice(0, index)
    const twin = earlier.find((other) => other.amount === amount && isOfPurchase(other))
    if (!twin) continue
    const isSame = twin.orderId === orderId
    const where = isSame ? `order ${orderId}` : `orders ${twin.orderId} and ${orderId}`
    return `Intents ${twin.id} and ${id} of ${where} are both paid, ${amount} ${currency} each, for one purchase of ${buyer}.`
  }
  return undefined
}

/** The API key is nowhere, and a `clientSecret` only in the body of a handoff. */
function exposedSecret(event: Event): string | undefined {
  if (event.type === 'response') {
    const { method, path, isHandoff, head, body } = event
    const isExposed = secret.test(head) || (isHandoff ? apiKey : secret).test(body)
    return isExposed ? `${method} ${path} returned a secret.` : undefined
  }
  if (event.type !== 'output') return undefined
  const line = event.lines.find((text) => secret.test(text))
  if (line !== undefined) return `The shop printed a secret: ${line.split(secret).join('[secret]')}`
  const isInAddress = event.lint.includes('secret_in_url')
  return isInAddress ? 'A clientSecret was in the address of a request.' : undefined
}

/** A shop must offer another intent after a payment that failed. */
function unpayable(ledger: Ledger): string | undefined {
  for (const [name, { handedOut }] of ledger.buyers) {
    const orderId = ledger.unpaidOrder(name)
    if (orderId === undefined || isPayable(handedOut)) continue
    const intent =
      typeof handedOut === 'object' && `intent ${handedOut.id}, which is ${handedOut.status}`
    return `No payment of order ${orderId} is paid or processing, and a new handoff returns ${intent || handedOut || 'no response'}.`
  }
  return undefined
}

/** The shop must learn of each payment although its buyer does not come back. */
function unrecorded(ledger: Ledger): string | undefined {
  for (const { id, orderId, buyer } of ledger.paid()) {
    const record = ledger.records.get(orderId)
    if (!record || isLeftAndReviewed(ledger, { id, orderId, buyer })) continue
    // A payment of an earlier version of the order may need a person.
    const accepted: readonly string[] = ledger.isPaid(orderId) ? ['paid'] : ['paid', 'review']
    if (accepted.includes(record.state)) continue
    return `Intent ${id} of order ${orderId} is paid, and the shop's record of the order stays "${record.state}", not "${accepted.join('" or "')}".`
  }
  return undefined
}

/** The shop must show a payment to a buyer who comes back. */
function unshown(ledger: Ledger): string | undefined {
  for (const [name, { phase }] of ledger.buyers) {
    const { id = '', orderId = '' } = ledger.newest(name) ?? {}
    if (phase === undefined || phase === 'paid' || !ledger.isPaid(orderId)) continue
    if (isLeftAndReviewed(ledger, { id, orderId, buyer: name })) continue
    return `Intent ${id} of order ${orderId} is paid, and the shop does not say so to ${name}.`
  }
  return undefined
}

/** Returns whether the buyer has left the order for another one, and a person looks at its payment. */
function isLeftAndReviewed(
  ledger: Ledger,
  { id, orderId, buyer }: Pick<Handoff, 'id' | 'orderId' | 'buyer'>,
): boolean {
  const isReviewed = ledger.records.get(orderId)?.reviews?.includes(id)
  return ledger.current(buyer) !== orderId && isReviewed === true
}

/** At most one payment pays for an order. Every other one must be under review. */
function unreviewed(ledger: Ledger): string | undefined {
  const paid = ledger.paid()
  for (const [orderId, { reviews }] of ledger.records) {
    const ids = paid.filter((handoff) => handoff.orderId === orderId).map(({ id }) => id)
    const missing = ids.filter((id) => reviews && !reviews.includes(id))
    if (missing.length <= 1) continue
    return `Intents ${missing.join(' and ')} of order ${orderId} are paid, and at most one pays for it. The shop lists none of them for a review.`
  }
  return undefined
}

function unfulfilled(ledger: Ledger): string | undefined {
  for (const [orderId, { fulfilments }] of ledger.records) {
    if (fulfilments !== 0 || !ledger.isPaid(orderId)) continue
    return `Order ${orderId} is paid, and the shop did not fulfil it.`
  }
  return undefined
}
