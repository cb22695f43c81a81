import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { expect, test } from 'vitest'
import { noContent } from '../../src/http/response.ts'
import { createListener } from '../../src/http/router.ts'
import type { Environment } from '../../src/merchants/environments.ts'
import { createTopicNotifier } from '../../src/sandbox/event-stream.ts'
import { createLint, violations } from '../../src/sandbox/lint.ts'
import type { LogEntry } from '../../src/sandbox/request-log/logged-request.ts'
import { hasSecret, maskKey, maskPath } from '../../src/sandbox/request-log/mask.ts'
import { createRequestLog } from '../../src/sandbox/request-log/request-log.ts'

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
  pointers: [],
  pointersOmitted: 0,
  isKeyFromBrowser: false,
  hasSecretInUrl: false,
  origin: undefined,
}

test.each<[string, Partial<LogEntry>, readonly string[]]>([
  ['a create with a key', {}, []],
  ['a create without a key', { idempotencyKey: undefined }, ['no_idempotency_key']],
  ['a refused create without a key', { idempotencyKey: undefined, status: 400 }, []],
  ['a key with another body', { status: 422 }, ['key_reused']],
  [
    'a key that came from a page',
    { isKeyFromBrowser: true, status: 403 },
    ['secret_key_in_browser'],
  ],
  [
    'a key that a browser asks to send',
    { isKeyFromBrowser: true, status: 405, method: 'OPTIONS', operation: 'other' },
    ['secret_key_in_browser'],
  ],
  ['an address that is opened in a browser', { status: 403, operation: 'retrieve' }, []],
  ['a secret in an address', { hasSecretInUrl: true }, ['secret_in_url']],
])('%s is judged', (_, change, rules) => {
  expect(violations({ ...entry, ...change }, 0).map(({ rule }) => rule)).toEqual(rules)
})

test('reading an intent once a second is fine, six times in five seconds is one finding', () => {
  const read = (findings: ReturnType<typeof createLint>, milliseconds: number): void => {
    const at = new Date(entry.at.getTime() + milliseconds)
    findings.check({ ...entry, operation: 'retrieve', method: 'GET', status: 200, at })
  }
  const calm = createLint(() => {})
  for (let second = 0; second < 60; second++) read(calm, second * 1000)
  expect(calm.issues('env_1')).toEqual([])
  const hasty = createLint(() => {})
  for (let times = 0; times < 10; times++) read(hasty, times * 100)
  expect(hasty.issues('env_1')).toMatchObject([{ rule: 'polled_too_fast', count: 1 }])
})

test('a finding counts its repetitions, and belongs to its environment', () => {
  const findings = createLint(() => {})
  findings.check({ ...entry, idempotencyKey: undefined })
  findings.check({ ...entry, idempotencyKey: undefined, at: new Date('2026-11-21T10:01:00Z') })
  findings.check({ ...entry, idempotencyKey: undefined, environment: 'env_2' })
  expect(findings.issues('env_1')).toMatchObject([
    { count: 2, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:01:00.000Z' },
  ])
  findings.clear('env_1')
  expect(findings.issues('env_1')).toEqual([])
  expect(findings.issues('env_2')).toHaveLength(1)
})

test('the lint stays small however many things go wrong', () => {
  const findings = createLint(() => {})
  for (let at = 0; at < 1000; at++) {
    findings.check({ ...entry, status: 422, idempotencyKey: `key-number-${at}-of-a-thousand` })
  }
  expect(findings.issues('env_1')).toHaveLength(200)
})

test('keys that look alike stay apart, in the lint and to the eye', () => {
  const keys = ['order-A-1001-attempt-1', 'order-B-2002-attempt-1', 'order-1', 'order-2']
  const findings = createLint(() => {})
  for (const idempotencyKey of keys) findings.check({ ...entry, status: 422, idempotencyKey })
  expect(findings.issues('env_1')).toHaveLength(4)
  expect(new Set(keys.map(maskKey)).size).toBe(4)
})

test('no credential survives in a shown path, and a shown key cannot be used', () => {
  expect(maskPath('/payment-intents/pi_1_secret_abc?x=1')).toBe('/payment-intents/pi_1_secret_…')
  expect(maskPath('/x/pi_sk_test_abcdefgh/y')).toBe('/x/pi_sk_test_…/y')
  expect(hasSecret(`/pi_sk_test_${'a'.repeat(36)}`)).toBe(true)
  expect(maskPath(`/${'a'.repeat(500)}`)).toHaveLength(200)
  // Its mark is the beginning of its SHA-256.
  expect(maskKey('abc')).toBe('ab… ba78')
  expect(maskKey('0190b6a2-7c31-7e02-b3f4-8c1d2e3f4a5b')).toMatch(/^0190b6…4a5b [\da-f]{4}$/)
})

test('masks a credential in a path however it is encoded and in any case', () => {
  const random = 'Zq7'.repeat(12)
  const cases: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.replace('_sk_', '_Sk_').replace('_secret_', '_Secret_'),
  ]
  const encodings: ((text: string) => string)[] = [
    (text) => text,
    (text) => encoded(text, (at) => at === 1),
    (text) => encoded(text, (at) => at % 3 === 0),
    (text) => encoded(text, () => true).toLowerCase(),
    ...[2, 4, 6, 12].map((rounds) => (text: string): string => {
      let all = encoded(text, () => true)
      for (let round = 1; round < rounds; round++) all = all.replaceAll('%', '%25')
      return all
    }),
  ]
  for (const credential of ['pi_sk_test_', 'pi_sk_live_', 'pi_1_secret_']) {
    for (const inCase of cases) {
      for (const encode of encodings) {
        const path = `/payment-intents/${encode(inCase(credential + random))}`
        expect([path, hasSecret(path)]).toEqual([path, true])
        const shown = [maskPath(path)]
        for (let round = 0; round < 15; round++) shown.push(unescape(shown.at(-1) ?? ''))
        expect(shown.join(' ').toLowerCase()).not.toContain(random.toLowerCase().slice(0, 6))
      }
    }
  }
})

/** Percent-encodes the characters whose places are chosen. */
function encoded(text: string, isChosen: (at: number) => boolean): string {
  return [...text]
    .map((each, at) => (isChosen(at) ? `%${each.charCodeAt(0).toString(16).toUpperCase()}` : each))
    .join('')
}

test('what is noted of a request holds no query, no credential and no path of the page it came from', async () => {
  const entries: LogEntry[] = []
  const { observer } = createRequestLog({
    now: () => new Date(),
    topics: createTopicNotifier(),
    findEnvironment: async () => ({ id: 'env_1', mode: 'test' }) as Environment,
    onEntry: (added) => entries.push(added),
  })
  const log = pino({ enabled: false })
  const handlers = { page: noContent, create: noContent }
  const listener = createListener({ log, observers: [observer], checks: {}, handlers })
  const server = createServer(listener).listen(0)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const secret = `_secret_${'x'.repeat(48)}`
  await fetch(`${url}/checkout/pi_1${secret}?card=4242`, {
    headers: { referer: 'http://localhost:5173/cart?token=1' },
  })
  await fetch(`${url}/payment-intents?pi_sk_test_${'x'.repeat(36)}`)
  await expect.poll(() => entries).toHaveLength(2)
  server.close()
  expect(entries).toMatchObject([
    { path: '/checkout/pi_1_secret_…', origin: 'http://localhost:5173', hasSecretInUrl: true },
    { path: '/payment-intents', hasSecretInUrl: true },
  ])
  expect(JSON.stringify(entries)).not.toMatch(/xxxx|4242|cart|token/)
})
