/** Steps: actions of one buyer each, as they are dealt, played, printed, and replayed. @module */
import { type Action, type ActionName, actions } from './actions.ts'
import type { Adapter } from './adapter.ts'
import { buyers, type Sequence } from './sequence.ts'

/** One action, as it is generated, printed, and replayed. */
export interface Step {
  readonly action: ActionName
  /** `A` or `B`. */
  readonly buyer: string
  /** Index of what the buyer holds. */
  readonly tab: number
  /** One of the action's variants. */
  readonly variant: string
}

const byName: Readonly<Record<ActionName, Action>> = actions
const names = Object.keys(actions) as ActionName[]

/**
 * Returns a function that deals random steps of those that the adapter knows. Like a deck of cards, it deals each action
 * as often as its weight before it deals one again, so that a rare action comes soon.
 */
export function stepDealer(adapter: Adapter): () => Step {
  const oneOf = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(Math.random() * items.length)] as Item
  // Most faults need several actions of one buyer.
  const dealt = ['A', 'A', ...buyers]
  const deck = names.flatMap((action) => {
    const { part, weight = 1, variants = [''] } = byName[action]
    if (part !== undefined && !adapter[part]) return []
    const cards = variants.map((variant) => ({ action, variant }))
    return Array.from({ length: weight }, () => cards).flat()
  })
  let left: typeof deck = []
  return () => {
    if (left.length === 0) left = [...deck]
    const card = oneOf(left)
    left.splice(left.indexOf(card), 1)
    return { ...card, buyer: oneOf(dealt), tab: oneOf([0, 1, 2]) }
  }
}

/** Plays a step. What its action needs comes first. */
export async function playStep(step: Step, sequence: Sequence): Promise<void> {
  const { buyer, tab, variant } = step
  const action = byName[step.action]
  if (action.needs === 'payment') {
    const payment = await sequence.held(buyer, tab)
    if (payment) await action.play(sequence, payment, variant)
    return
  }
  if (action.needs === 'page') await sequence.openFirst(buyer)
  await action.play(sequence, buyer, variant)
}

export function describeStep({ action, buyer, tab, variant }: Step): string {
  return byName[action].text(buyer, variant, tab + 1)
}

/** Writes a step for `--replay`, such as `pay.A.1.visa`. */
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
    /^([a-z-]+)\.([AB])\.([1-9])(?:\.([\w=-]+))?$/.exec(text) ?? []
  const action = names.find((each) => each === name)
  if (!action || !(byName[action].variants ?? ['']).includes(variant)) {
    throw new TypeError(`--replay: ${text} is not a step. Pass the line that a violation printed.`)
  }
  return { action, buyer, tab: Number(tab) - 1, variant }
}
