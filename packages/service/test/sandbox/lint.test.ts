import { expect, test } from 'vitest'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { createLint, violations } from '../../src/sandbox/lint.ts'
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

type Change = Partial<LoggedRequest> &
  Partial<Pick<LogEntry, 'isKeyFromBrowser' | 'hasSecretInUrl' | 'unregisteredOrigin'>>

function entryOf({
  isKeyFromBrowser = false,
  hasSecretInUrl = false,
  unregisteredOrigin,
  ...change
}: Change): LogEntry {
  const signs = { isKeyFromBrowser, hasSecretInUrl, unregisteredOrigin }
  return { request: { ...request, ...change }, exchange, ...signs }
}

/** Returns a lint that has checked requests with these changes. */
function linted(...changes: readonly Change[]) {
  const lint = createLint()
  for (const change of changes) lint.check(entryOf(change))
  return lint
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
  expect(violations(entryOf(change), 0).map(({ rule }) => rule)).toEqual(rules)
})

test('reports retrieves that are more frequent than one in a second', () => {
  const issuesOf = (count: number, interval: number, status = 200) => {
    const lint = createLint()
    for (let index = 0; index < count; index++) {
      const at = new Date(Date.parse(request.at) + index * interval).toISOString()
      lint.check(entryOf({ operation: 'retrieve', method: 'GET', status, at }))
    }
    return lint.issues('env_1')
  }
  expect(issuesOf(60, 1000)).toEqual([])
  expect(issuesOf(10, 100)).toMatchObject([{ rule: 'polled_too_fast', count: 1 }])
  // A client retries these.
  expect(issuesOf(10, 100, 503)).toEqual([])
})

test('counts repetitions of an issue for each environment', () => {
  const keyless = { idempotencyKey: null }
  const at = '2026-11-21T10:01:00.000Z'
  const lint = linted(keyless, { ...keyless, at }, { ...keyless, environment: 'env_2' })
  expect(lint.issues('env_1')).toMatchObject([
    { count: 2, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:01:00.000Z' },
  ])
  lint.clear('env_1')
  expect(lint.issues('env_1')).toEqual([])
  expect(lint.issues('env_2')).toHaveLength(1)
})

test('keeps the issues of 200 keys', () => {
  const keys = Array.from({ length: 1000 }, (_, index) => `key-number-${index}-of-a-thousand`)
  const lint = linted(...keys.map((idempotencyKey) => ({ status: 422, idempotencyKey })))
  expect(lint.issues('env_1')).toHaveLength(200)
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
