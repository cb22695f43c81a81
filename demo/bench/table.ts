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
    note: 'limit: in Chromium a bare script alone needs half as long again as Node for the same calls (medians below); the rest is input, the frame’s messages, and rendering in software on the cores that both servers need',
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
