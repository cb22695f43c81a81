/**
 * What the demo's benchmark measures: the whole way, as its buyer and its merchant live it.
 *
 * @module
 */
import type { Definition } from '../../.ci/bench/row.ts'

export const payment: Definition = {
  what: 'click on Pay to `paid` shown by the shop, Chromium',
  against: 'the sum of the bare HTTP calls it needs: confirm, status, order',
  target: '≤ 1.25',
}

const start = {
  what: 'cold start of the demo to its first page and first handoff',
  against: 'one second',
  target: '',
} as const

export const starts = {
  fresh: { ...start, what: `${start.what}, new directory` },
  existing: { ...start, what: `${start.what}, existing directory` },
} as const satisfies Record<string, Definition>

/** All of it, in the order of the printed table. */
export const table: readonly Definition[] = [payment, ...Object.values(starts)]
