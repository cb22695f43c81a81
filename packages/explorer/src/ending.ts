/**
 * The end of a sequence: buyers whose payment failed pay again, all leave, and all come back. In each part the shop has
 * some time to settle its records.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isPayable } from './ledger.ts'
import { missingIn, type Stage, type Violation, violationIn } from './rules.ts'
import { buyers, type Sequence } from './sequence.ts'

/** Plays the end. Returns the violation of the whole sequence, if there is one. */
export async function playEnd(sequence: Sequence): Promise<Violation | undefined> {
  const { environment, ledger, shop } = sequence
  await environment.clearFaults()
  await sequence.look()
  // Without any order, the first buyer places one.
  const isFirst = ledger.handoffs.length === 0
  let unpaid = buyers.filter((buyer) =>
    isFirst ? buyer === buyers[0] : ledger.unpaidOrder(buyer) !== undefined,
  )
  const notPayable = await settle(sequence, 'retry', async () => {
    for (const buyer of unpaid) {
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    }
    unpaid = unpaid.filter((buyer) => !isPayable(ledger.buyer(buyer).handedOut))
  })
  if (notPayable) return notPayable

  await payEverything(sequence)
  const unknown = await settle(sequence, 'away', () => readRecords(sequence))
  if (unknown) return unknown

  for (const buyer of new Set(ledger.paid().map((handoff) => handoff.buyer))) {
    await sequence.visit(buyer)
  }
  const unsettled = await settle(sequence, 'back', async () => {
    for (const [buyer, { orderId: named }] of ledger.buyers) {
      const { orderId } = ledger.newest(buyer) ?? {}
      // Without the id of an order, the status route is about the buyer's current one.
      if (orderId !== undefined) await sequence.poll(buyer, named === undefined ? {} : { orderId })
    }
    await readRecords(sequence)
  })
  if (unsettled) return unsettled
  sequence.add({ type: 'output', lines: shop.lines, lint: await environment.brokenRules() })
  return violationIn(sequence.events)
}

/** Pays what the open pages can pay, and lets the bank decide. */
async function payEverything(sequence: Sequence): Promise<void> {
  for (const buyer of buyers) {
    for (const handoff of sequence.ledger.held(buyer)) await sequence.pay(handoff, 'visa')
  }
  await sequence.look()
  for (const { id, status } of sequence.ledger.intents) {
    if (status === 'processing') await sequence.environment.settle(id, 'succeeded')
  }
  await sequence.look()
}

/** Reads the record of each order, once. */
async function readRecords(sequence: Sequence): Promise<void> {
  const owners = new Map(sequence.ledger.handoffs.map(({ orderId, buyer }) => [orderId, buyer]))
  for (const [orderId, buyer] of owners) await sequence.readRecord(buyer, orderId)
}

/** Repeats a part of the end until the shop has settled, for `settlesWithin` from each step forward. */
async function settle(
  sequence: Sequence,
  stage: Stage,
  act: () => Promise<void>,
): Promise<Violation | undefined> {
  const { settlesWithin = 3000 } = sequence.adapter
  let missing = ''
  let until = 0
  for (let round = 0; ; round++) {
    await act()
    const broken = violationIn(sequence.events)
    const violation = broken ?? missingIn(sequence.events, stage)
    if (broken || !violation) return violation
    if (violation.detail !== missing) {
      missing = violation.detail
      until = performance.now() + settlesWithin
    } else if (performance.now() > until) return violation
    // A killed process may hold its hook for a minute. Between two leaps of the clock, a slow hook ends.
    if (round % 10 === 0) sequence.shop.wait(40)
    await sleep(50)
  }
}
