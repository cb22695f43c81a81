/** Everything that the benchmark measures: each row with its baseline and its target. @module */

/** What is measured, against what, and how good it must be. */
export interface Definition {
  readonly what: string
  /** The baseline that is measured in the same rounds. */
  readonly against: string
  /** `≤ 1.15` or `≥ 0.6`; empty for information only. */
  readonly target: Target
  readonly note: string
  /** A figure of a series that a file in `run/` records. */
  readonly ours: readonly [series: string, figure: string]
  readonly baseline: readonly [series: string, figure: string] | number
}

type Target = '' | `≤ ${number}` | `≥ ${number}`

/** Its name, and a series or a constant; the figure is that of pi-checkout unless another is named. */
type Baseline = readonly [against: string, series: string | number, figure?: string]

function row(
  what: string,
  ours: Definition['ours'],
  [against, series, figure = ours[1]]: Baseline,
  target: Target = '',
  note = '',
): Definition {
  const baseline = typeof series === 'number' ? series : ([series, figure] as const)
  return { what, against, target, note, ours, baseline }
}

export function atOnce(concurrency: number): string {
  return concurrency === 1 ? 'one at a time' : `${concurrency} at once`
}

// The client and the handoff.

/** One call, and the same call by others to the same local server. */
function callRows(operation: 'create' | 'retrieve', concurrency: 1 | 32): Definition[] {
  const what = `${operation}() per call, ${atOnce(concurrency)}`
  const series = (client: string) => `${operation}(), ${atOnce(concurrency)}, ${client}`
  const ours = [series('pi-checkout'), 'µs'] as const
  const target = concurrency === 1 ? '≤ 1.15' : '≤ 1.3'
  const note = 'ours speaks node:http, which costs less than fetch'
  return [
    row(what, ours, ['bare fetch of the same JSON', series('fetch')], target, note),
    row(what, ours, ['stripe at the same server', series('stripe')], '≤ 1'),
    row(what, ours, ['openai at the same server', series('openai')], '≤ 1'),
  ]
}

/** Loading a client in a new process. */
function startRow(what: string, peer: string, target: Target): Definition {
  const ours = [`${what}, pi-checkout`, 'ms'] as const
  return row(`${what}, fresh process`, ours, [peer, `${what}, ${peer}`], target)
}

const jose =
  'limit: stripe is one package with everything inside; ours leaves jose outside, so that a shop can update its cryptography without us'

/** What an installation adds to a shop's disk and supply chain. */
function installRows(peer: string): Definition[] {
  return ['bytes', 'files', 'packages'].map((figure) => {
    const note = figure === 'packages' && peer === 'stripe' ? jose : ''
    const ours = ['install, pi-checkout', figure] as const
    return row(`install: ${figure}`, ours, [peer, `install, ${peer}`], '≤ 1', note)
  })
}

const handoffRows = [
  row(
    'handoff route, requests per second: a resumed order with its encrypted cookie',
    ['handoff, resumed', 'perSecond'],
    ['the same Express route answering fixed JSON', 'handoff, fixed'],
    '≥ 0.6',
    'limit: one WebCrypto decryption per request, which goes to another thread and back (a sixth of the time), and the web Request and Response of a handler that is the same in every framework (a tenth)',
  ),
  row(
    'handoff route, requests per second: a new order, created at a local service',
    ['handoff, created', 'perSecond'],
    ['the same Express route making the bare create by fetch', 'handoff, fetched'],
    '≥ 0.6',
  ),
]

// The element.

/** Maximum bytes of the self-contained file after gzip, Lit included. */
const sizeBudget = 10_500

function sizeRow(baseline: Baseline, target: Target = '≤ 1', note?: string): Definition {
  const ours = ['self-contained file', 'gzip'] as const
  return row("element's self-contained file, Lit included, gzip", ours, baseline, target, note)
}

const elementRows = [
  sizeRow([`${sizeBudget} bytes`, sizeBudget]),
  ...['Adyen Drop-in', 'Braintree Drop-in', "PayPal's zoid"].map((peer) =>
    sizeRow([`${peer}, bundled the same way`, peer]),
  ),
  sizeRow(
    ['penpal, bundled the same way', 'penpal'],
    '',
    'penpal passes messages and nothing else: no element, frame, states or texts',
  ),
  row(
    'mount to pi-ready, Chromium',
    ['mount to pi-ready', 'ms'],
    ['a bare iframe of the same page with the shortest handshake', 'a bare iframe'],
    '≤ 1.1',
  ),
]

// The service.

const bareHandler =
  'a bare node:http handler that checks key and body, hashes and returns the same bytes'
const twoCores =
  'limit: the load, the service and PostgreSQL share two cores; the service itself works less than with all intents in its own memory'

/** The rows of one concurrency; one request at a time has no targets. */
function loadRows(concurrency: 64 | 1): Definition[] {
  const named = (what: string) => `${what}, ${atOnce(concurrency)}`
  const load = (what: string, ours: string, baseline: Baseline, target: Target = '', note = '') =>
    row(named(what), [named(ours), 'perSecond'], baseline, ...only64(target, note))
  const only64 = (target: Target, note = '') =>
    concurrency === 64 ? ([target, note] as const) : (['', ''] as const)
  const pgbench = [
    'pgbench of the same insert at the same server',
    named('inserts, pgbench'),
  ] as const
  const memory = (operation: string) =>
    ['the same service with intents in memory', named(`${operation}, memory`)] as const
  const bare = (operation: string) => [bareHandler, named(`${operation}, bare`)] as const
  const postgres = named('creates, postgres')
  return [
    load('creates per second, PostgreSQL', 'creates, postgres', pgbench, '≥ 1'),
    load(
      'creates per second, PostgreSQL',
      'creates, postgres',
      memory('creates'),
      '≥ 0.95',
      twoCores,
    ),
    load(
      'retrieves per second, PostgreSQL',
      'retrieves, postgres',
      memory('retrieves'),
      '≥ 0.9',
      twoCores,
    ),
    load(
      'creates per second, the store without HTTP, PostgreSQL',
      'creates, store without HTTP',
      pgbench,
      '≥ 1.8',
    ),
    load('creates per second, embedded store', 'creates, embedded', pgbench, '≥ 0.8'),
    load(
      'retrieves per second, embedded store',
      'retrieves, embedded',
      memory('retrieves'),
      '≥ 0.85',
      'limit: the engine reads the intents on the core that handles the requests',
    ),
    load(
      'creates per second, HTTP part',
      'creates, memory',
      bare('creates'),
      '≥ 0.9',
      'limit: limits, request ids and faults, which the bare handler has not; a profile shows the write to the socket (a third), garbage collection (a tenth) and HMAC',
    ),
    load('retrieves per second, HTTP part', 'retrieves, memory', bare('retrieves')),
    row(
      named('p99 of a create, PostgreSQL'),
      [postgres, 'p99 µs'],
      ['its p50', postgres, 'p50 µs'],
      ...only64('≤ 3'),
    ),
  ]
}

/** Times compare the rates the other way round. */
function timeRow(
  what: string,
  ours: string,
  [against, baseline]: readonly [string, string],
  ...rest: readonly [target: Target, note?: string]
): Definition {
  return row(what, [baseline, 'perSecond'], [against, ours], ...rest)
}

/** A large store against a small one. The note is of the retrieves. */
function growthRows(
  kind: 'postgres' | 'embedded',
  [name, count]: readonly [name: string, count: string],
  note: string,
): Definition[] {
  return ['create', 'retrieve'].map((operation) => {
    const series = `${operation}s, ${kind}`
    const what = `time of a ${operation}, ${name}, 64 at once, ${count} intents stored`
    const small = ['10,000 stored', `${series}, small store`] as const
    return timeRow(
      what,
      `${series}, large store`,
      small,
      '≤ 1.2',
      operation === 'retrieve' ? note : '',
    )
  })
}

const serviceRows = [
  timeRow(
    'time of a create, PostgreSQL, one at a time',
    'creates, postgres, one at a time',
    [
      'the same service with intents in memory, and one bare prepared insert',
      'creates, memory and one bare insert',
    ],
    '≤ 1',
    'limit: load, service and PostgreSQL wake one after the other on two cores, which a profile shows as the writes to their sockets; either baseline has two of them',
  ),
  ...growthRows(
    'postgres',
    ['PostgreSQL', '1,000,000'],
    'limit: ids are random, so every one of a batch touches another page of an index and a table of half a gigabyte',
  ),
  ...growthRows(
    'embedded',
    ['embedded store', '100,000'],
    'limit: the engine writes its checkpoints and statistics in the process that handles requests, so that single rounds differ by half',
  ),
  ...['two', 'three'].map((count) =>
    row(
      `creates per second, ${count} instances on one PostgreSQL, 64 at once`,
      [`creates, instances: ${count}`, 'perSecond'],
      ['one instance; all of them share the cores of one machine', 'creates, instances: one'],
      '≥ 1',
      'limit: an instance already keeps both cores busy with its load and PostgreSQL; batches of several are smaller',
    ),
  ),
  row(
    'ten thousand waiting buyers at one instance, CPU time',
    ['waiting buyers', 'cores'],
    ['5 % of a core', 0.05],
    '≤ 1',
  ),
  row(
    'create while ten thousand buyers wait, 95th percentile of the time, 4 at once',
    ['creates where buyers wait', 'p95 µs'],
    ['an idle instance on the same PostgreSQL', 'creates at an idle instance'],
    '≤ 1.1',
  ),
  row(
    'intents made by keys that every instance was sent',
    ['shared keys', 'intents'],
    ['those keys', 'shared keys', 'keys'],
    '≤ 1',
  ),
]

function serviceStartRow(
  directory: 'new' | 'existing',
  ...rest: readonly [Target, string?]
): Definition {
  const what = `start to first created intent, ${directory} directory`
  return row(what, [`start, ${directory} directory`, 'seconds'], ['1 second', 1], ...rest)
}

// The demo.

const demoRows = [
  row(
    'click on Pay to `paid` shown by the shop, Chromium',
    ['click on Pay to `paid` shown', 'ms'],
    [
      'the bare HTTP calls it needs (confirm, status, order), made by a Node script',
      'bare calls by a Node script',
    ],
    '≤ 1.25',
    'limit: in Chromium a bare script alone needs half as long again as Node for the same calls (medians below); the rest is input, the frame’s messages, and rendering in software on the cores that both servers need',
  ),
  row(
    'click on Pay to `paid` shown by the shop, Chromium',
    ['click on Pay to `paid` shown', 'ms'],
    [
      'the same calls, made in turn by a bare script in the same Chromium',
      'bare calls by a script in Chromium',
    ],
    '',
    'from the click on, both work in the same browser: what is left is the input, the frame’s message, two renderings and the order of it all',
  ),
  ...['new', 'existing'].map((directory) =>
    row(
      `cold start of the demo to its first page and first handoff, ${directory} directory`,
      [`demo, ${directory} directory`, 'first handoff ms'],
      ['one second', 1000],
    ),
  ),
]

const onSlowLine = '300 ms for each round trip, 50 kB/s, Chromium'

const slowLineRows = [
  row(
    `"Check out" in the cart to the usable form, ${onSlowLine}`,
    ['slow line', 'ms'],
    ['the requests that it needs, one after the other by a Node script', 'slow line, a script'],
    '≤ 1.5',
  ),
  row(
    `"Check out" in the cart to the usable form, ${onSlowLine}`,
    ['slow line', 'ms'],
    ['3 seconds', 3000],
    '≤ 1',
  ),
  row(
    `"Check out" in the cart to the first paint of the payment page, ${onSlowLine}`,
    ['slow line', 'first paint ms'],
    ['1.5 seconds', 1500],
    '≤ 1',
  ),
]

/** Every row, by the part of the repository that it measures. */
export const sections: Readonly<Record<string, readonly Definition[]>> = {
  'packages/server': [
    ...callRows('create', 1),
    ...callRows('create', 32),
    ...callRows('retrieve', 1),
    ...callRows('retrieve', 32),
    startRow('import', 'stripe', '≤ 0.5'),
    startRow('import', '@mollie/api-client', '≤ 1'),
    startRow('import + first create', 'stripe', '≤ 0.5'),
    ...installRows('stripe'),
    ...installRows('@mollie/api-client'),
    ...handoffRows,
  ],
  'packages/element': elementRows,
  'packages/service': [
    serviceStartRow(
      'existing',
      '≤ 1',
      'limit: most of it is the start of PostgreSQL in WebAssembly',
    ),
    serviceStartRow('new', '≤ 3'),
    ...loadRows(64),
    ...loadRows(1),
    ...serviceRows,
  ],
  demo: demoRows,
  'slow line': slowLineRows,
}
