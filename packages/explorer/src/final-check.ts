/** The end of a sequence: the shop's records are compared with the sandbox's. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Buyer } from './buyer.ts'
import type { Pair, Sequence } from './sequence.ts'
import { Violation } from './violation.ts'

export class FinalCheck {
  readonly #sequence: Sequence
  readonly #settlesWithin: number

  constructor(sequence: Sequence) {
    this.#sequence = sequence
    this.#settlesWithin = sequence.adapter.settlesWithin ?? 3000
  }

  /** Pays what is held, and lets every buyer come back. Then compares the shop's records with the sandbox's. */
  async run(): Promise<void> {
    await this.#sequence.environment.clearFaults()
    for (const buyer of this.#sequence.buyers) await this.#payAgain(buyer)
    for (const pair of this.#sequence.held) await this.#sequence.pay(pair, 'succeeds')
    for (const { id, status } of await this.#sequence.environment.intents()) {
      if (status === 'processing') await this.#sequence.environment.settle(id, 'succeeded')
    }
    await this.#sequence.adapter.reconcile?.()
    const paid = await this.#sequence.paidAmong(this.#sequence.pairs)
    this.#checkDoubles(paid)
    for (const pair of paid) await this.#checkRecord(pair, paid)
    await this.#checkReviews(paid)
    for (const buyer of this.#sequence.buyers) await this.#comeBack(buyer, paid)
    await this.#checkFulfilments(paid)
    this.#sequence.checkOutput()
    this.#sequence.checkRunning()
    if ((await this.#sequence.environment.brokenRules()).includes('secret_in_url')) {
      throw new Violation('secret_exposed', 'A clientSecret was in the address of a request.')
    }
  }

  #checkDoubles(paid: readonly Pair[]): void {
    for (const [index, pair] of paid.entries()) {
      const twin = paid
        .slice(0, index)
        .find(
          ({ buyer, purchase, orderId, amount }) =>
            amount === pair.amount &&
            (orderId === pair.orderId || (buyer === pair.buyer && purchase === pair.purchase)),
        )
      if (!twin) continue
      const same = twin.orderId === pair.orderId
      const where = same ? `order ${pair.orderId}` : `orders ${twin.orderId} and ${pair.orderId}`
      throw new Violation(
        'double_payment',
        `Intents ${twin.id} and ${pair.id} of ${where} are both paid, ${pair.amount} ${pair.currency} each, for one purchase of ${pair.buyer.name}.`,
      )
    }
  }

  /** Waits until the shop itself knows of a payment whose buyer did not come back. */
  async #checkRecord({ buyer, orderId, id }: Pair, paid: readonly Pair[]): Promise<void> {
    const { state } = this.#sequence.adapter
    if (!state) return
    // A payment of an earlier version of the order may need a person.
    const accepted: readonly string[] = this.#isPaid(orderId, paid) ? ['paid'] : ['paid', 'review']
    let seen = ''
    const isStored = async (): Promise<boolean> => {
      seen = await this.#sequence.unrecorded(async () => await state(buyer, orderId))
      return accepted.includes(seen) || (await this.#isReviewed(buyer, orderId, id))
    }
    const isKnown = await this.#becomes(isStored, 2)
    if (seen === 'paid') this.#sequence.checkAmount(orderId, paid)
    if (isKnown) return
    throw new Violation(
      'payment_lost',
      `Intent ${id} of order ${orderId} is paid. After ${this.#settlesWithin} ms the shop's record of the order is "${seen}", not "${accepted.join('" or "')}". Retrieve the intents of open orders regularly: see reconcile().`,
    )
  }

  /** Whether an order has been paid as it is now. */
  #isPaid(orderId: string, paid: readonly Pair[]): boolean {
    const { version } = this.#sequence.order(orderId)
    return paid.some(
      ({ id }) =>
        this.#sequence.pairs.findLast((pair) => pair.id === id && pair.orderId === orderId)
          ?.version === version,
    )
  }

  /** The buyer opens the page again, which requests the status. */
  async #comeBack(buyer: Buyer, paid: readonly Pair[]): Promise<void> {
    const own = paid.filter((pair) => pair.buyer === buyer)
    if (own.length > 0) await buyer.fetch(this.#sequence.routes.page)
    const newest = this.#sequence.newest(buyer)
    for (const { id, orderId } of own) {
      // Without an order's id, the status route is about the buyer's current order only.
      const isCurrent = buyer.orderId !== undefined || newest?.orderId === orderId
      if (!isCurrent || !this.#isPaid(orderId, paid)) continue
      const asked = buyer.orderId === undefined ? {} : { orderId }
      const saysPaid = async (): Promise<boolean> =>
        (await this.#sequence.poll(buyer, asked)) === 'paid' ||
        (await this.#isReviewed(buyer, orderId, id))
      if (await this.#becomes(saysPaid, this.#sequence.wasKilled ? 2 : 0)) continue
      throw new Violation(
        'payment_lost',
        `Intent ${id} of order ${orderId} is paid, and the shop does not say so to ${buyer.name}.`,
      )
    }
  }

  /** Repeats a check until it succeeds, for `settlesWithin`. Meanwhile minutes pass at the shop. */
  async #becomes(question: () => Promise<boolean>, minutes = 0): Promise<boolean> {
    const until = performance.now() + this.#settlesWithin
    while (!(await question())) {
      this.#sequence.checkTime()
      if (performance.now() > until) return false
      this.#sequence.checkRunning()
      if (minutes > 0) this.#sequence.wait(minutes)
      await sleep(50)
    }
    return true
  }

  /** @throws {Violation} If an order is unpaid, and its page gets nothing to pay with. */
  async #payAgain(buyer: Buyer): Promise<void> {
    const newest = this.#sequence.newest(buyer)
    if (!newest || !buyer.isOnPage) return
    const { orderId } = newest
    const own = (await this.#sequence.environment.intents()).filter(
      (intent) => intent.orderId === orderId,
    )
    if (own.some(({ status }) => status === 'succeeded' || status === 'processing')) return
    let seen = ''
    const isPayable = async (): Promise<boolean> => {
      await this.#sequence.open(buyer)
      const response = await this.#sequence.handoff(buyer)
      seen = `${response.status || 'no response'}`
      const given = response.ok ? this.#sequence.newest(buyer) : undefined
      if (!given) return false
      const { id, status } = await this.#sequence.environment.intent(given.id)
      seen = `intent ${id}, which is ${status}`
      return !/^(?:failed|canceled|expired)$/.test(status)
    }
    if (await this.#becomes(isPayable, 2)) return
    throw new Violation(
      'not_payable',
      `No payment of order ${orderId} is paid or processing, and a new handoff returns ${seen}. An order that failed, or that its buyer left, must be payable again.`,
    )
  }

  /** @throws {Violation} If a payment that the order does not need is not under review. */
  async #checkReviews(paid: readonly Pair[]): Promise<void> {
    const { reviews } = this.#sequence.adapter
    if (!reviews) return
    for (const { buyer, orderId } of paid) {
      const ids = paid.filter((pair) => pair.orderId === orderId).map(({ id }) => id)
      let missing: readonly string[] = []
      const isReviewed = async (): Promise<boolean> => {
        const listed = await this.#sequence.unrecorded(async () => await reviews(buyer, orderId))
        missing = ids.filter((id) => !listed.includes(id))
        return missing.length <= 1
      }
      if (await this.#becomes(isReviewed, 2)) continue
      throw new Violation(
        'paid_unreviewed',
        `Intents ${missing.join(' and ')} of order ${orderId} are paid, and at most one pays for it. The shop lists none of them for a review. Keep each intent of an order, and retrieve it until its status is final.`,
      )
    }
  }

  /** Returns whether the buyer left the order for another one, and the shop lists its payment for a review. */
  async #isReviewed(buyer: Buyer, orderId: string, id: string): Promise<boolean> {
    const { reviews } = this.#sequence.adapter
    if (!reviews || buyer.orderId === orderId) return false
    return (await this.#sequence.unrecorded(async () => await reviews(buyer, orderId))).includes(id)
  }

  async #checkFulfilments(paid: readonly Pair[]): Promise<void> {
    const { fulfilments } = this.#sequence.adapter
    if (!fulfilments) return
    const orders = new Map(this.#sequence.pairs.map((pair) => [pair.orderId, pair.buyer]))
    for (const [orderId, buyer] of orders) {
      let count = 0
      const isFulfilled = async (): Promise<boolean> => {
        count = await this.#sequence.unrecorded(async () => await fulfilments(buyer, orderId))
        return count > 0
      }
      if (!this.#isPaid(orderId, paid)) await isFulfilled()
      else if (!(await this.#becomes(isFulfilled)))
        throw new Violation(
          'not_fulfilled',
          `Order ${orderId} is paid, and the shop did not fulfil it. Fulfil it when its row becomes paid, also if no page asks for the status.`,
        )
      const isPaid = paid.some((pair) => pair.orderId === orderId)
      const detail = `The shop fulfilled order ${orderId} ${count === 1 ? 'once' : `${count} times`}.`
      if (count > 1)
        throw new Violation(
          'fulfilled_twice',
          `${detail} Fulfil it once, when a row changes from unpaid to paid.`,
        )
      if (count > 0 && !isPaid)
        throw new Violation('fulfilled_unpaid', `${detail} No intent of it has succeeded.`)
    }
  }
}
