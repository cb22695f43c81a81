/**
 * What this room's benchmark measures, and how good it has to be.
 *
 * @module
 */
import type { Definition } from '../../../.ci/bench/row.ts'

/** How many requests are under way at once; most targets are those of many. */
export const concurrencies = [64, 1] as const

export type Concurrency = (typeof concurrencies)[number]

/** The rows of one concurrency, each by the name that its measurement has. */
export function definitions(concurrency: Concurrency) {
  const words = concurrency === 1 ? 'one at a time' : `${concurrency} at once`
  const define = (
    what: string,
    against: string,
    target: Definition['target'] = '',
  ): Definition => ({
    what: `${what}, ${words}`,
    against,
    target: concurrency === 1 ? '' : target,
  })
  const pgbench = 'pgbench of the same insert at the same server'
  const map = 'the same service with intents in memory'
  const bare =
    'a bare node:http handler that checks key and body, hashes and answers the same bytes'
  return {
    create: define('creates per second, PostgreSQL', pgbench, '≥ 1'),
    createBesideMap: define('creates per second, PostgreSQL', map, '≥ 0.95'),
    retrieve: define('retrieves per second, PostgreSQL', map, '≥ 0.9'),
    alone: define('creates per second, the store without HTTP, PostgreSQL', pgbench, '≥ 1.8'),
    embeddedCreate: define('creates per second, embedded store', pgbench, '≥ 0.8'),
    embeddedRetrieve: define('retrieves per second, embedded store', map, '≥ 0.85'),
    http: define('creates per second, HTTP part', bare, '≥ 0.9'),
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
  },
  twoInstances: {
    what: 'creates per second, two instances on one PostgreSQL, 64 at once',
    against: 'one instance; all of them share the cores of one machine',
    target: '',
  },
  threeInstances: {
    what: 'creates per second, three instances on one PostgreSQL, 64 at once',
    against: 'one instance; all of them share the cores of one machine',
    target: '',
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
