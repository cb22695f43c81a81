/**
 * What this room's benchmark measures, and how good it has to be.
 *
 * @module
 */
import type { Definition } from '../../../.ci/bench/row.ts'

/** How many requests are under way at once; most targets are those of many. */
export const concurrencies = [64, 1] as const

export type Concurrency = (typeof concurrencies)[number]

const twoCores =
  'limit: the load, the service and PostgreSQL share two cores; the service itself works less than with all intents in its own memory'
const inProcess = 'limit: the engine reads the intents on the core that answers the requests'
const oneMachine =
  'limit: an instance already keeps both cores busy with its load and PostgreSQL; batches of several are smaller'
const httpPart =
  'limit: limits, request ids and faults, which the bare handler has not; a profile shows the write to the socket (a third), garbage collection (a tenth) and HMAC'

/** The rows of one concurrency, each by the name that its measurement has. */
export function definitions(concurrency: Concurrency) {
  const words = concurrency === 1 ? 'one at a time' : `${concurrency} at once`
  const define = (
    what: string,
    against: string,
    target: Definition['target'] = '',
    note?: string,
  ): Definition => ({
    what: `${what}, ${words}`,
    against,
    ...(concurrency === 1 ? { target: '' } : { target, ...(note && { note }) }),
  })
  const pgbench = 'pgbench of the same insert at the same server'
  const map = 'the same service with intents in memory'
  const bare =
    'a bare node:http handler that checks key and body, hashes and answers the same bytes'
  return {
    create: define('creates per second, PostgreSQL', pgbench, '≥ 1'),
    createBesideMap: define('creates per second, PostgreSQL', map, '≥ 0.95', twoCores),
    retrieve: define('retrieves per second, PostgreSQL', map, '≥ 0.9', twoCores),
    alone: define('creates per second, the store without HTTP, PostgreSQL', pgbench, '≥ 1.8'),
    embeddedCreate: define('creates per second, embedded store', pgbench, '≥ 0.8'),
    embeddedRetrieve: define('retrieves per second, embedded store', map, '≥ 0.85', inProcess),
    http: define('creates per second, HTTP part', bare, '≥ 0.9', httpPart),
    httpRetrieve: define('retrieves per second, HTTP part', bare),
    tail: define('p99 of a create, PostgreSQL', 'its p50', '≤ 3'),
  } as const
}

/** What is measured once more than at every concurrency. */
export const others = {
  lone: {
    what: 'time of a create, PostgreSQL, one at a time',
    against: 'the same service with intents in memory, and one bare prepared insert',
    target: '≤ 1',
    note: 'limit: load, service and PostgreSQL wake one after the other on two cores, which a profile shows as the writes to their sockets; either baseline has two of them',
  },
  growth: {
    what: 'time of a create, PostgreSQL, 64 at once, 1,000,000 intents stored',
    against: '10,000 stored',
    target: '≤ 1.2',
  },
  growthRetrieve: {
    what: 'time of a retrieve, PostgreSQL, 64 at once, 1,000,000 intents stored',
    against: '10,000 stored',
    target: '≤ 1.2',
    note: 'limit: ids are random, so every one of a batch touches another page of an index and a table of half a gigabyte',
  },
  embeddedGrowth: {
    what: 'time of a create, embedded store, 64 at once, 100,000 intents stored',
    against: '10,000 stored',
    target: '≤ 1.2',
  },
  embeddedGrowthRetrieve: {
    what: 'time of a retrieve, embedded store, 64 at once, 100,000 intents stored',
    against: '10,000 stored',
    target: '≤ 1.2',
    note: 'limit: the engine writes its checkpoints and statistics in the process that answers, so that single rounds differ by half',
  },
  twoInstances: {
    what: 'creates per second, two instances on one PostgreSQL, 64 at once',
    against: 'one instance; all of them share the cores of one machine',
    target: '≥ 1',
    note: oneMachine,
  },
  threeInstances: {
    what: 'creates per second, three instances on one PostgreSQL, 64 at once',
    against: 'one instance; all of them share the cores of one machine',
    target: '≥ 1',
    note: oneMachine,
  },
  sharedKeys: {
    what: 'intents made by keys that every instance was sent',
    against: 'those keys',
    target: '≤ 1',
  },
  existingDirectory: {
    what: 'start to first answered create, existing directory',
    against: '1 second',
    target: '≤ 1',
    note: 'limit: most of it is the start of PostgreSQL in WebAssembly',
  },
  newDirectory: {
    what: 'start to first answered create, new directory',
    against: '1 second',
    target: '≤ 3',
  },
} as const satisfies Record<string, Definition>

/** All of it, in the order of the printed table. */
export const table: readonly Definition[] = [
  ...concurrencies.flatMap((concurrency) => Object.values(definitions(concurrency))),
  ...Object.values(others),
]
