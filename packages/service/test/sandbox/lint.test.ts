import { expect, test } from 'vitest'
import { createLint, violations } from '../../src/sandbox/lint.ts'
import type { LogEntry } from '../../src/sandbox/request-log/logged-request.ts'
import { hasSecret, maskPath } from '../../src/sandbox/request-log/mask.ts'

const entry: LogEntry = {
  number: 1,
  at: new Date('2026-11-21T10:00:00Z'),
  ms: 2,
  method: 'POST',
  path: '/payment-intents',
  status: 201,
  requestId: 'req_1',
  operation: 'create',
  environment: 'env_1',
  intentId: 'pi_1',
  idempotencyKey: 'order-A-1001-1',
  replayed: false,
  problem: undefined,
  repeats: 0,
  faults: [],
  pointers: [],
  pointersOmitted: 0,
  isKeyFromBrowser: false,
  hasSecretInUrl: false,
  unregisteredOrigin: undefined,
}

/** Returns a lint that has checked requests with these changes. */
function linted(...changes: readonly Partial<LogEntry>[]) {
  const lint = createLint()
  for (const change of changes) {
    const checked = { ...entry, ...change }
    lint.check(checked, checked)
  }
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
  ['nothing in a rejected create without a key', { idempotencyKey: undefined, status: 400 }, []],
  ['an API key that a browser asks to send', preflight, ['secret_key_in_browser']],
  ['nothing in an address opened in a browser', { status: 403, operation: 'retrieve' }, []],
] as const)('reports %s', (_, change, rules) => {
  expect(violations({ ...entry, ...change }, 0).map(({ rule }) => rule)).toEqual(rules)
})

test('reports retrieves that are more frequent than one in a second', () => {
  const issuesOf = (count: number, interval: number, status = 200) => {
    const lint = createLint()
    const first = { ...entry, operation: 'retrieve', method: 'GET', status } as const
    lint.check(first, first)
    for (let index = 1; index < count; index++) {
      lint.check({ ...first, at: new Date(entry.at.getTime() + index * interval) }, first)
    }
    return lint.issues('env_1')
  }
  expect(issuesOf(60, 1000)).toEqual([])
  expect(issuesOf(10, 100)).toMatchObject([{ rule: 'polled_too_fast', count: 1 }])
  // A client retries these.
  expect(issuesOf(10, 100, 503)).toEqual([])
})

test('counts repetitions of an issue for each environment', () => {
  const keyless = { idempotencyKey: undefined }
  const at = new Date('2026-11-21T10:01:00Z')
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
