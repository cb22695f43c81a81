/** Everything that the benchmark measures: each row with its baseline and its target. @module */

/** What is measured, against what, and how good it must be. */
export interface Definition {
  readonly what: string
  /** The baseline that is measured in the same rounds. */
  readonly against: string
  /** `≤ 1.15` or `≥ 0.6`; empty for a row that is compared between commits. */
  readonly target: Target
  /** A figure of a series that a file in `run/` records. */
  readonly ours: Figure
  readonly baseline: Figure | number
}

type Figure = readonly [series: string, figure: string]
type Target = '' | `≤ ${number}` | `≥ ${number}`

function row(
  what: string,
  ours: Figure,
  [against, baseline]: readonly [name: string, Figure | number],
  target: Target = '',
): Definition {
  return { what, against, target, ours, baseline }
}

export function atOnce(concurrency: number): string {
  return concurrency === 1 ? 'one at a time' : `${concurrency} at once`
}

/** One create, and the same by others to the same local server. */
function callRows(concurrency: 1 | 32): Definition[] {
  const what = `create() per call, ${atOnce(concurrency)}`
  const series = (client: string): Figure => [`create(), ${atOnce(concurrency)}, ${client}`, 'µs']
  const target = concurrency === 1 ? '≤ 1.15' : '≤ 1.3'
  return [
    row(what, series('pi-checkout'), ['fetch', series('fetch')], target),
    row(what, series('pi-checkout'), ['stripe', series('stripe')], '≤ 1'),
  ]
}

/** Loading a client in a new process. */
function startRow(what: string): Definition {
  const ours = [`${what}, pi-checkout`, 'ms'] as const
  return row(`${what}, fresh process`, ours, ['stripe', [`${what}, stripe`, 'ms']], '≤ 0.5')
}

function handoffRow(what: string, series: string, target: Target): Definition {
  return row(
    `handoffs per second: ${what}`,
    [`handoff, ${series}`, 'perSecond'],
    ['an Express route with fetch', ['handoff, fetched', 'perSecond']],
    target,
  )
}

const elementRows = [
  row(
    'self-contained file, gzip',
    ['self-contained file', 'gzip'],
    ['Adyen Drop-in', ['Adyen Drop-in', 'gzip']],
    '≤ 1',
  ),
  row(
    'mount to pi-ready',
    ['mount to pi-ready', 'ms'],
    ['a bare iframe', ['a bare iframe', 'ms']],
    '≤ 1.1',
  ),
]

/** The rows of one store, with 64 requests at once. */
function storeRows(store: string, many: string): Definition[] {
  const pgbench = ['pgbench, rows of this size', [`pgbench, ${store}`, 'perSecond']] as const
  const rate = (what: string, series: string) =>
    row(`${what} per second, ${store}`, [`${series}, ${store}`, 'perSecond'], pgbench)
  const growth = (operation: string) =>
    row(
      `${operation} with ${many} stored, ${store}`,
      [`${operation}s, ${store}, few`, 'perSecond'],
      ['with fewer', [`${operation}s, ${store}, many`, 'perSecond']],
      '≤ 1.2',
    )
  return [
    rate('creates', 'creates'),
    rate('retrieves of open intents', 'retrieves, open'),
    rate('confirmations', 'confirmations'),
    growth('create'),
    growth('retrieve'),
    row(`bytes of an intent, ${store}`, [`storage, ${store}`, 'bytes'], ['450', 450], '≤ 1.2'),
  ]
}

function waitingRows(buyers: number, share: number): Definition[] {
  const count = buyers.toLocaleString('en')
  return [
    row(
      `CPU time of ${count} waiting buyers`,
      [`waiting buyers, ${buyers}`, 'cores'],
      [`${share * 100} % of a core`, share],
      '≤ 1',
    ),
    row(
      `95th percentile of creates beside ${count} waiting buyers`,
      [`creates next to ${buyers}`, 'p95 µs'],
      ['an idle instance', [`creates without ${buyers}`, 'p95 µs']],
      '≤ 1.15',
    ),
  ]
}

function serviceStartRow(directory: 'new' | 'existing', target: Target): Definition {
  const what = `start to first created intent, ${directory} directory`
  return row(what, [`start, ${directory} directory`, 'seconds'], ['1 second', 1], target)
}

/** Every row, by the part of the repository that it measures. */
export const sections: Readonly<Record<string, readonly Definition[]>> = {
  'packages/server': [
    ...callRows(1),
    ...callRows(32),
    startRow('import'),
    startRow('import + first create'),
    handoffRow('an open order', 'second', '≥ 0.5'),
    handoffRow('a new order', 'created', '≥ 0.6'),
  ],
  'packages/element': elementRows,
  'packages/service': [
    serviceStartRow('existing', '≤ 1'),
    serviceStartRow('new', '≤ 3'),
    ...storeRows('PostgreSQL', '1,000,000'),
    ...storeRows('embedded store', '100,000'),
    ...waitingRows(10_000, 0.06),
  ],
}
