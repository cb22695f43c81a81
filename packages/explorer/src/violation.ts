/** What a shop must never do. @module */

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

/** A rule that a sequence of actions broke. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly rule: Rule

  constructor(rule: Rule, detail: string) {
    super(detail)
    this.rule = rule
  }
}

export class TimeOver extends Error {
  override readonly name = 'TimeOver'

  constructor() {
    super('The time is over.')
  }
}

/** The exploration could not run. The message says what to change. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
