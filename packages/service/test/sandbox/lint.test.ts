import { expect, test } from 'vitest'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { createReadCounter, findIssues, violations } from '../../src/sandbox/lint.ts'
import type { LogEntry } from '../../src/sandbox/request-log/entry.ts'
import { hasSecret, maskPath } from '../../src/sandbox/request-log/mask.ts'

const request: LoggedRequest = {
  number: 1,
  at: '2026-11-21T10:00:00.000Z',
  ms: 2,
  method: 'POST',
  path: '/payment-intents',
  status: 201,
  requestId: 'req_1',
  operation: 'create',
  environment: 'env_1',
  intentId: 'pi_1',
  order: null,
  idempotencyKey: 'order-A-1001-1',
  replayed: false,
  problem: null,
  faults: [],
  pointers: [],
  pointersOmitted: 0,
}
const exchange = {
  headers: {},
  responseHeaders: {},
  requestBody: null,
  responseBody: null,
  isExact: false,
}

type Change = Partial<LoggedRequest> & Partial<Omit<LogEntry, 'request' | 'exchange'>>

function entryOf({
  isKeyFromBrowser = false,
  hasSecretInUrl = false,
  reads = 0,
  unregisteredOrigin,
  ...change
}: Change): LogEntry {
  const signs = { isKeyFromBrowser, hasSecretInUrl, reads, unregisteredOrigin }
  return { request: { ...request, ...change }, exchange, ...signs }
}

/** Returns the issues of requests with these changes, the oldest first. */
function issuesOf(...changes: readonly Change[]) {
  return findIssues(changes.map(entryOf).reverse(), [])
}

const preflight = {
  method: 'OPTIONS',
  operation: 'other',
  status: 405,
  isKeyFromBrowser: true,
} as const

test.each([
  ['nothing in a create with a key', {}, []],
  ['nothing in a rejected create without a key', { idempotencyKey: null, status: 400 }, []],
  ['an API key that a browser asks to send', preflight, ['secret_key_in_browser']],
  ['nothing in an address opened in a browser', { status: 403, operation: 'retrieve' }, []],
] as const)('reports %s', (_, change, rules) => {
  expect(violations(entryOf(change)).map(({ rule }) => rule)).toEqual(rules)
})

test('reports retrieves that are more frequent than one in a second', () => {
  const issuesOfReads = (count: number, interval: number, status = 200) => {
    const countReads = createReadCounter()
    const changes = Array.from({ length: count }, (_, index): Change => {
      const at = new Date(Date.parse(request.at) + index * interval).toISOString()
      const read = { operation: 'retrieve', method: 'GET', status, at } as const
      return { ...read, reads: countReads({ ...request, ...read }) }
    })
    return issuesOf(...changes)
  }
  expect(issuesOfReads(60, 1000)).toEqual([])
  expect(issuesOfReads(10, 100)).toMatchObject([{ rule: 'polled_too_fast', count: 1 }])
  // A client retries these.
  expect(issuesOfReads(10, 100, 503)).toEqual([])
})

test('counts repetitions of an issue', () => {
  const keyless = { idempotencyKey: null }
  expect(issuesOf(keyless, { ...keyless, at: '2026-11-21T10:01:00.000Z' })).toMatchObject([
    { count: 2, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:01:00.000Z' },
  ])
})

const random = 'Zq7'.repeat(12)
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
const encodings: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[ps_]/, percent),
  (text) => text.replace(/[ist]/g, percent),
  ...[1, 2, 4, 6, 12].map((rounds) => (text: string): string => {
    return text.replace(/./g, percent).replaceAll('%', `%${'25'.repeat(rounds - 1)}`)
  }),
]

test.each(['pi_sk_test_', 'pi_sk_live_', 'PI_SK_LIVE_', 'pi_1_secret_', 'pi_1_Secret_'])(
  'masks %s in a path in every encoding',
  (credential) => {
    for (const encode of encodings) {
      const path = `/payment-intents/${encode(credential + random)}`
      expect([path, hasSecret(path)]).toEqual([path, true])
      const shown = [maskPath(path)]
      for (let round = 0; round < 15; round++) shown.push(unescape(shown.at(-1) ?? ''))
      expect(shown.join(' ')).not.toContain(random.slice(0, 6))
    }
  },
)
