/**
 * Everything that the benchmark measures: each row with its baseline and its target.
 *
 * @module
 */

/** What is measured, against what, and how good it must be. */
export interface Definition {
  readonly what: string
  /** The baseline that is measured in the same rounds. */
  readonly against: string
  /** `≤ 1.15` or `≥ 0.6`; empty for information only. */
  readonly target: '' | `≤ ${number}` | `≥ ${number}`
  readonly note?: string
}

function row(
  what: string,
  against: string,
  target: Definition['target'] = '',
  note?: string,
): Definition {
  return { what, against, target, ...(note && { note }) }
}

// The client and the handoff.

export const operations = ['create', 'retrieve'] as const
export const callConcurrencies = [1, 32] as const
export const callPeers = ['fetch', 'stripe', 'openai'] as const
export type CallPeer = (typeof callPeers)[number]

export function concurrencyLabel(concurrency: number): string {
  return concurrency === 1 ? 'one at a time' : `${concurrency} at once`
}

/** One call, and the same call by a peer to the same local server. */
export function callRow(
  operation: (typeof operations)[number],
  concurrency: (typeof callConcurrencies)[number],
  peer: CallPeer,
): Definition {
  const what = `${operation}() per call, ${concurrencyLabel(concurrency)}`
  if (peer !== 'fetch') return row(what, `${peer} at the same server`, '≤ 1')
  const note = 'ours speaks node:http, which costs less than fetch'
  return row(what, 'bare fetch of the same JSON', concurrency === 1 ? '≤ 1.15' : '≤ 1.3', note)
}

/** Loading a client in a new process. */
export const startRows = {
  stripe: row('import, fresh process', 'stripe', '≤ 0.5'),
  mollie: row('import, fresh process', '@mollie/api-client', '≤ 1'),
  firstCreate: row('import + first create, fresh process', 'stripe', '≤ 0.5'),
}

export const installFigures = ['bytes', 'files', 'packages'] as const
export const installPeers = ['stripe', '@mollie/api-client'] as const

/** What an installation adds to a shop's disk and supply chain. */
export function installRow(
  figure: (typeof installFigures)[number],
  peer: (typeof installPeers)[number],
): Definition {
  const note =
    'limit: stripe is one package with everything inside; ours leaves jose outside, so that a shop can update its cryptography without us'
  const isLimit = figure === 'packages' && peer === 'stripe'
  return row(`install: ${figure}`, peer, '≤ 1', isLimit ? note : undefined)
}

const newOrder = 'handoff route, requests per second: a new order, created at a local service'
const fixedJson = 'the same Express route answering fixed JSON'

export const handoffRows = {
  resumed: row(
    'handoff route, requests per second: a resumed order with its encrypted cookie',
    fixedJson,
    '≥ 0.6',
    'limit: one WebCrypto decryption per request, which goes to another thread and back (a sixth of the time), and the web Request and Response of a handler that is the same in every framework (a tenth)',
  ),
  created: row(newOrder, 'the same Express route making the bare create by fetch', '≥ 0.6'),
  createdOverFixed: row(
    newOrder,
    fixedJson,
    '',
    'a new order waits for another server, which fixed JSON does not',
  ),
}

// The element.

/** Maximum bytes of the self-contained file after gzip, Lit included. */
export const sizeBudget = 10_500

/** What the peers' own guides tell a shop to import. */
export const elementPeers = {
  'Adyen Drop-in': "export { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web'",
  'Braintree Drop-in': "export { default } from 'braintree-web-drop-in'",
  "PayPal's zoid": "export { default } from 'zoid'",
  penpal: "export * from 'penpal'",
} as const
export type ElementPeer = keyof typeof elementPeers
export const sizeFormats = ['gzip', 'brotli'] as const
export type SizeFormat = (typeof sizeFormats)[number]

const fileIn = (format: SizeFormat) => `element's self-contained file, Lit included, ${format}`

export const budgetRow = row(fileIn('gzip'), `${sizeBudget} bytes`, '≤ 1')

export function sizeRow(peer: ElementPeer, format: SizeFormat): Definition {
  const against = `${peer}, bundled the same way`
  if (peer !== 'penpal') return row(fileIn(format), against, '≤ 1')
  const note = 'penpal passes messages and nothing else: no element, frame, states or texts'
  return row(fileIn(format), against, '', note)
}

export const mountRow = row(
  'mount to pi-ready, Chromium',
  'a bare iframe of the same page with the shortest handshake',
  '≤ 1.1',
)

// The service.

export const loadConcurrencies = [64, 1] as const
export type LoadConcurrency = (typeof loadConcurrencies)[number]

const pgbench = 'pgbench of the same insert at the same server'
const inMemory = 'the same service with intents in memory'
const bareHandler =
  'a bare node:http handler that checks key and body, hashes and answers the same bytes'
const twoCores =
  'limit: the load, the service and PostgreSQL share two cores; the service itself works less than with all intents in its own memory'

const loadRowsAt64 = {
  create: row('creates per second, PostgreSQL', pgbench, '≥ 1'),
  createOverMemory: row('creates per second, PostgreSQL', inMemory, '≥ 0.95', twoCores),
  retrieve: row('retrieves per second, PostgreSQL', inMemory, '≥ 0.9', twoCores),
  store: row('creates per second, the store without HTTP, PostgreSQL', pgbench, '≥ 1.8'),
  embeddedCreate: row('creates per second, embedded store', pgbench, '≥ 0.8'),
  embeddedRetrieve: row(
    'retrieves per second, embedded store',
    inMemory,
    '≥ 0.85',
    'limit: the engine reads the intents on the core that answers the requests',
  ),
  http: row(
    'creates per second, HTTP part',
    bareHandler,
    '≥ 0.9',
    'limit: limits, request ids and faults, which the bare handler has not; a profile shows the write to the socket (a third), garbage collection (a tenth) and HMAC',
  ),
  httpRetrieve: row('retrieves per second, HTTP part', bareHandler),
  tail: row('p99 of a create, PostgreSQL', 'its p50', '≤ 3'),
}

/** The rows of one concurrency; one request at a time has no targets. */
export function loadRow(name: keyof typeof loadRowsAt64, at: LoadConcurrency): Definition {
  const definition = loadRowsAt64[name]
  const what = `${definition.what}, ${concurrencyLabel(at)}`
  return at === 1 ? row(what, definition.against) : { ...definition, what }
}

const stored = '10,000 stored'
const oneInstance = 'one instance; all of them share the cores of one machine'
const oneMachine =
  'limit: an instance already keeps both cores busy with its load and PostgreSQL; batches of several are smaller'

export const serviceRows = {
  oneCreate: row(
    'time of a create, PostgreSQL, one at a time',
    'the same service with intents in memory, and one bare prepared insert',
    '≤ 1',
    'limit: load, service and PostgreSQL wake one after the other on two cores, which a profile shows as the writes to their sockets; either baseline has two of them',
  ),
  growth: row(
    'time of a create, PostgreSQL, 64 at once, 1,000,000 intents stored',
    stored,
    '≤ 1.2',
  ),
  growthRetrieve: row(
    'time of a retrieve, PostgreSQL, 64 at once, 1,000,000 intents stored',
    stored,
    '≤ 1.2',
    'limit: ids are random, so every one of a batch touches another page of an index and a table of half a gigabyte',
  ),
  embeddedGrowth: row(
    'time of a create, embedded store, 64 at once, 100,000 intents stored',
    stored,
    '≤ 1.2',
  ),
  embeddedGrowthRetrieve: row(
    'time of a retrieve, embedded store, 64 at once, 100,000 intents stored',
    stored,
    '≤ 1.2',
    'limit: the engine writes its checkpoints and statistics in the process that answers, so that single rounds differ by half',
  ),
  twoInstances: row(
    'creates per second, two instances on one PostgreSQL, 64 at once',
    oneInstance,
    '≥ 1',
    oneMachine,
  ),
  threeInstances: row(
    'creates per second, three instances on one PostgreSQL, 64 at once',
    oneInstance,
    '≥ 1',
    oneMachine,
  ),
  sharedKeys: row('intents made by keys that every instance was sent', 'those keys', '≤ 1'),
  existingDirectory: row(
    'start to first answered create, existing directory',
    '1 second',
    '≤ 1',
    'limit: most of it is the start of PostgreSQL in WebAssembly',
  ),
  newDirectory: row('start to first answered create, new directory', '1 second', '≤ 3'),
}

// The demo.

const click = 'click on Pay to `paid` shown by the shop, Chromium'
const coldStart = 'cold start of the demo to its first page and first handoff'

export const demoRows = {
  script: row(
    click,
    'the bare HTTP calls it needs (confirm, status, order), made by a Node script',
    '≤ 1.25',
    'limit: in Chromium a bare script alone needs half as long again as Node for the same calls (medians below); the rest is input, the frame’s messages, and rendering in software on the cores that both servers need',
  ),
  browser: row(
    click,
    'the same calls, made in turn by a bare script in the same Chromium',
    '',
    'from the click on, both work in the same browser: what is left is the input, the frame’s message, two renderings and the order of it all',
  ),
  newDirectory: row(`${coldStart}, new directory`, 'one second'),
  existingDirectory: row(`${coldStart}, existing directory`, 'one second'),
}

/** Every row, by the part of the repository that it measures. */
export const sections: Readonly<Record<string, readonly Definition[]>> = {
  'packages/server': [
    ...operations.flatMap((operation) =>
      callConcurrencies.flatMap((at) => callPeers.map((peer) => callRow(operation, at, peer))),
    ),
    ...Object.values(startRows),
    ...installPeers.flatMap((peer) => installFigures.map((figure) => installRow(figure, peer))),
    ...Object.values(handoffRows),
  ],
  'packages/element': [
    budgetRow,
    ...sizeFormats.flatMap((format) =>
      (Object.keys(elementPeers) as ElementPeer[]).map((peer) => sizeRow(peer, format)),
    ),
    mountRow,
  ],
  'packages/service': [
    ...loadConcurrencies.flatMap((at) =>
      (Object.keys(loadRowsAt64) as (keyof typeof loadRowsAt64)[]).map((name) => loadRow(name, at)),
    ),
    ...Object.values(serviceRows),
  ],
  demo: Object.values(demoRows),
}
