/**
 * The end of a sequence: buyers whose payment failed pay again, all leave, and all come back. In each part the shop has
 * some time to settle its records.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './events.ts'
import { isOnItsWay, isPayable, unsettledIn, type Violation, violationIn } from './rules.ts'
import type { Sequence } from './sequence.ts'

/** Plays the end. Returns the violation of the whole sequence, if there is one. */
export async function playEnd(sequence: Sequence): Promise<Violation | undefined> {
  const { environment, ledger } = sequence
  await environment.clearFaults()
  const intents = await sequence.intents()
  const retrying = sequence.buyers.filter((buyer) => {
    const { orderId } = ledger.newest(buyer) ?? {}
    const own = intents.filter((intent) => intent.orderId === orderId)
    return ledger.buyer(buyer).isOnPage && orderId !== undefined && !own.some(isOnItsWay)
  })
  const retry = async (): Promise<void> => {
    for (const buyer of retrying) {
      const { retried } = ledger.buyer(buyer)
      if (retried !== undefined && isPayable(retried)) continue
      await sequence.open(buyer)
      await sequence.handoff(buyer)
    }
  }
  const away = async (): Promise<void> => {
    const owners = new Map(ledger.paid().map(({ orderId, buyer }) => [orderId, buyer]))
    for (const [orderId, buyer] of owners) await sequence.readRecord(buyer, orderId)
  }
  const back = async (): Promise<void> => {
    for (const { buyer, orderId } of ledger.shownAsPaid()) {
      if (ledger.phase(buyer, orderId) === 'paid') continue
      const isNamed = ledger.buyer(buyer).orderId !== undefined
      await sequence.poll(buyer, isNamed ? { orderId } : {})
    }
    const owners = new Map(ledger.handoffs.map(({ orderId, buyer }) => [orderId, buyer]))
    for (const [orderId, buyer] of owners) await sequence.readRecord(buyer, orderId)
  }

  const notPayable = await settle(sequence, 'retry', retry)
  if (notPayable) return notPayable
  await payEverything(sequence)
  const unknown = await settle(sequence, 'away', away)
  if (unknown) return unknown
  for (const buyer of new Set(ledger.paid().map((handoff) => handoff.buyer))) {
    await sequence.visit(buyer)
  }
  const unsettled = await settle(sequence, 'back', back)
  if (unsettled) return unsettled
  const lint = await environment.brokenRules()
  sequence.add({ type: 'output', lines: sequence.lines, lint })
  return violationIn(sequence.log)
}

/** Pays what the open pages can pay, and lets the bank decide. */
async function payEverything(sequence: Sequence): Promise<void> {
  for (const buyer of sequence.buyers) {
    for (const handoff of sequence.ledger.buyer(buyer).held) await sequence.pay(handoff, 'succeeds')
  }
  for (const { id, status } of await sequence.intents()) {
    if (status === 'processing') await sequence.environment.settle(id, 'succeeded')
  }
  sequence.add({ type: 'intents', intents: await sequence.intents() })
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
    sequence.hasExited()
    const violation = violationIn(sequence.log)
    if (violation) return violation
    const unsettled = unsettledIn(sequence.log)
    if (!unsettled) return undefined
    sequence.checkTime()
    const { rule, orderId } = unsettled
    if (missing !== `${rule} ${orderId}`) {
      missing = `${rule} ${orderId}`
      until = performance.now() + settlesWithin
    } else if (performance.now() > until) return unsettled
    // A killed process may hold its hook for a minute. Else a buyer who is back waits for no time to pass.
    if (stage !== 'back' || sequence.ledger.wasKilled) sequence.wait(2)
    await sleep(50)
  }
}
