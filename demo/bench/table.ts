/**
 * What the demo's benchmark measures: the whole way, as its buyer and its merchant live it.
 *
 * @module
 */
import type { Definition } from '../../.ci/bench/row.ts'

const click = 'click on Pay to `paid` shown by the shop, Chromium'

export const payments = {
  script: {
    what: click,
    against: 'the bare HTTP calls it needs (confirm, status, order), made by a Node script',
    target: '≤ 1.25',
    note: 'limit: Chromium itself, which takes longer for a click and three calls than this machine for the answers; see the next row',
  },
  browser: {
    what: click,
    against: 'the same calls, made in turn by a bare script in the same Chromium',
    target: '',
    note: 'from the click on, both work in the same browser: what is left is the input, the frame’s message, two renderings and the order of it all',
  },
} as const satisfies Record<string, Definition>

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
export const table: readonly Definition[] = [...Object.values(payments), ...Object.values(starts)]
