/**
 * The end of a sequence: buyers whose payment failed pay again, all leave, and all come back. In each part the shop has
 * some time to settle its records.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './events.ts'
import type { Handoff } from './ledger.ts'
import { isOnItsWay, isPayable, type Violation, violationIn } from './rules.ts'
import { buyers, type Sequence } from './sequence.ts'

/** Plays the end. Returns the violation of the whole sequence, if there is one. */
export async function playEnd(sequence: Sequence): Promise<Violation | undefined> {
  const { environment, ledger } = sequence
  await environment.clearFaults()
  const retrying = await buyersWithoutPayment(sequence)
  const notPayable = await settle(sequence, 'retry', async () => {
    for (const buyer of retrying) {
      const { retried } = ledger.buyer(buyer)
      if (retried !== undefined && isPayable(retried)) continue
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    }
  })
  if (notPayable) return notPayable

  await payEverything(sequence)
  const unknown = await settle(sequence, 'away', () => readRecords(sequence, ledger.paid()))
  if (unknown) return unknown

  for (const buyer of new Set(ledger.paid().map((handoff) => handoff.buyer))) {
    await sequence.visit(buyer)
  }
  const unsettled = await settle(sequence, 'back', async () => {
    for (const [buyer, { orderId: named, phase }] of ledger.buyers) {
      const { orderId } = ledger.newest(buyer) ?? {}
      if (orderId === undefined || !ledger.isPaid(orderId) || phase === 'paid') continue
      // Without the id of an order, the status route is about the buyer's current one.
      await sequence.poll(buyer, named === undefined ? {} : { orderId })
    }
    await readRecords(sequence, ledger.handoffs)
  })
  if (unsettled) return unsettled
  sequence.add({ type: 'output', lines: sequence.lines, lint: await environment.brokenRules() })
  return violationIn(sequence.events)
}

/** Returns the buyers whose newest order has no payment on its way. If none of them has an order, the first buyer gets one. */
async function buyersWithoutPayment(sequence: Sequence): Promise<readonly string[]> {
  const { ledger } = sequence
  if (ledger.handoffs.length === 0) return buyers.slice(0, 1)
  await sequence.look()
  const onItsWay = ledger.intents.filter(isOnItsWay)
  return buyers.filter((buyer) => {
    const { orderId } = ledger.newest(buyer) ?? {}
    return orderId !== undefined && !onItsWay.some((intent) => intent.orderId === orderId)
  })
}

/** Pays what the open pages can pay, and lets the bank decide. */
async function payEverything(sequence: Sequence): Promise<void> {
  for (const buyer of buyers) {
    for (const handoff of sequence.ledger.buyer(buyer).held) await sequence.pay(handoff, 'visa')
  }
  await sequence.look()
  for (const { id, status } of sequence.ledger.intents) {
    if (status === 'processing') await sequence.environment.settle(id, 'succeeded')
  }
  await sequence.look()
}

/** Reads the record of each order, once. */
async function readRecords(sequence: Sequence, handoffs: readonly Handoff[]): Promise<void> {
  const owners = new Map(handoffs.map(({ orderId, buyer }) => [orderId, buyer]))
  for (const [orderId, buyer] of owners) await sequence.readRecord(buyer, orderId)
}

/** Repeats a part of the end until the shop has settled, for `settlesWithin` from each step forward. */
async function settle(
  sequence: Sequence,
  stage: Stage,
  act: () => Promise<void>,
): Promise<Violation | undefined> {
  const { settlesWithin = 3000 } = sequence.adapter
  sequence.add({ type: 'stage', stage })
  let missing = ''
  let until = 0
  for (;;) {
    await act()
    const violation = violationIn(sequence.events)
    if (!violation?.maySettle) return violation
    if (violation.detail !== missing) {
      missing = violation.detail
      until = performance.now() + settlesWithin
    } else if (performance.now() > until) return violation
    // A killed process may hold its hook for a minute.
    sequence.wait(2)
    await sleep(50)
  }
}
