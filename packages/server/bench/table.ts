/**
 * What this room's benchmark measures, and how good it has to be.
 *
 * @module
 */
import type { Definition } from '../../../.ci/bench/row.ts'

export const operations = ['create', 'retrieve'] as const

export type Operation = (typeof operations)[number]

/** How many calls are under way at once, and how much slower than bare fetch they may be. */
export const concurrencies = [
  { concurrency: 1, most: 1.15, words: 'one at a time' },
  { concurrency: 32, most: 1.3, words: '32 at once' },
] as const

export type Concurrency = (typeof concurrencies)[number]

export const callPeers = ['fetch', 'stripe', 'openai'] as const

export type CallPeer = (typeof callPeers)[number]

const peerNames = { stripe: 'stripe', mollie: '@mollie/api-client', openai: 'openai' } as const

/** One call beside the same call of a peer, against one local server. */
export function call(
  operation: Operation,
  { most, words }: Concurrency,
  peer: CallPeer,
): Definition {
  const what = `${operation}() per call, ${words}`
  if (peer === 'fetch') {
    const note = 'ours speaks node:http, which costs less than fetch'
    return { what, against: 'bare fetch of the same JSON', target: `≤ ${most}`, note }
  }
  return { what, against: `${peerNames[peer]} at the same server`, target: '≤ 1' }
}

/** Loading a client in a fresh process. */
export function start(what: 'import' | 'import + first create', peer: StartPeer): Definition {
  const target = peer === 'stripe' ? '≤ 0.5' : '≤ 1'
  return { what: `${what}, fresh process`, against: peerNames[peer], target }
}

export type StartPeer = keyof typeof peerNames

/** What a shop's disk and supply chain take. */
export function install(what: InstallFigure, peer: 'stripe' | 'mollie'): Definition {
  const definition = { what: `install: ${what}`, against: peerNames[peer], target: '≤ 1' } as const
  const note = installNotes[`${what}, ${peer}`]
  return note ? { ...definition, note } : definition
}

const installNotes: Readonly<Record<string, string>> = {
  'packages, stripe':
    'limit: stripe is one package with everything inside; ours leaves jose outside, so that a shop can update its cryptography without us',
}

export const installFigures = ['bytes', 'files', 'packages'] as const

export type InstallFigure = (typeof installFigures)[number]

export const handoffs = {
  resumed: {
    what: 'handoff route, requests per second: a resumed order with its sealed cookie',
    against: 'the same Express route answering fixed JSON',
    target: '≥ 0.6',
    note: 'limit: one WebCrypto decryption per request, which goes to another thread and back (a sixth of the time), and the web Request and Response of a handler that is the same in every framework (a tenth)',
  },
  created: {
    what: 'handoff route, requests per second: a new order, created at a local service',
    against: 'the same Express route making the bare create by fetch',
    target: '≥ 0.6',
  },
  createdBesideFixed: {
    what: 'handoff route, requests per second: a new order, created at a local service',
    against: 'the same Express route answering fixed JSON',
    target: '',
    note: 'a new order waits for another server, which fixed JSON does not',
  },
} as const satisfies Record<string, Definition>

/** All of it, in the order of the printed table. */
export const table: readonly Definition[] = [
  ...operations.flatMap((operation) =>
    concurrencies.flatMap((concurrency) =>
      callPeers.map((peer) => call(operation, concurrency, peer)),
    ),
  ),
  start('import', 'stripe'),
  start('import', 'mollie'),
  start('import + first create', 'stripe'),
  ...(['stripe', 'mollie'] as const).flatMap((peer) =>
    installFigures.map((what) => install(what, peer)),
  ),
  ...Object.values(handoffs),
]
