import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { sampleKey } from '@pi-checkout/test-support/api-key'
import { expect, test } from 'vitest'
import { shellQuote } from '../shared/shell-quote.ts'
import { readConfig, storeOptions } from '../src/config.ts'
import { randomSalt } from '../src/ids.ts'

test('returns store options that work in any folder', () => {
  const options = (flags: object, env = {}) => storeOptions(readConfig(flags, env).store)
  expect(options({})).toBe(` --data '${resolve('.data/service')}'`)
  expect(options({}, { PI_DATA_DIR: 'x' })).toBe(` --data '${resolve('x')}'`)
  expect(options({ data: "/srv/ani's" })).toBe(` --data '/srv/ani'\\''s'`)
  expect(options({ databaseUrl: 'postgres://me:hush@db/x' })).toBe(
    ' --database-url "$PI_DATABASE_URL"',
  )
  expect(options({ memory: true })).toBeUndefined()
})

test('quotes a word so that a shell reads it unchanged', () => {
  const text = `Ani's "$HOME" \`id\` \\ * ; tea`
  expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(
    text,
  )
})

test('drains for 5 seconds with PostgreSQL, and not with the embedded store', () => {
  const drainMs = (flags: object, PI_DRAIN_MS = ''): number =>
    readConfig(flags, { PI_DRAIN_MS }).drainMs
  const shared = { databaseUrl: 'postgres://me@db/x' }
  expect([drainMs(shared), drainMs({}), drainMs({ memory: true })]).toEqual([5000, 0, 0])
  expect([drainMs(shared, '0'), drainMs({}, '60000')]).toEqual([0, 60_000])
})

const origin =
  'must be an origin such as https://pay.example.com, without a path or trailing slash. http is accepted for loopback only.'
const proxies = (entry: string): string =>
  `must be IP addresses and CIDR ranges with a prefix of at least 1, separated by commas, or "none"; received "${entry}". Set for example 10.0.0.0/8,2001:db8::1, or none if clients connect directly.`

test.each([
  ['PI_PUBLIC_URL', 'http://pay.example.com', origin],
  ['PI_PUBLIC_URL', 'https://pay.example.com/', origin],
  ['PI_PUBLIC_URL', 'https://*.example.com', origin],
  ['PI_CHALLENGE_URL', 'http://bank.example.net', origin],
  ['PI_TRUSTED_PROXIES', '10.0.0.0/33', proxies('10.0.0.0/33')],
  ['PI_TRUSTED_PROXIES', '10.0.0.1,proxy.internal', proxies('proxy.internal')],
  ['PI_TRUSTED_PROXIES', '0.0.0.0/0', proxies('0.0.0.0/0')],
  ['PI_TRUSTED_PROXIES', '::/0', proxies('::/0')],
  ['PI_TRUSTED_PROXIES', '2001:db8::/129', proxies('2001:db8::/129')],
  ['PI_TRUSTED_PROXIES', '10.0.0.0/8/8', proxies('10.0.0.0/8/8')],
  ['PI_TRUSTED_PROXIES', '10.0.0.0/', proxies('10.0.0.0/')],
  ['PI_TRUSTED_PROXIES', '10.0.0.1,', proxies('')],
  ['PI_TRUSTED_PROXIES', 'none,10.0.0.1', proxies('none')],
  ['PI_TRUSTED_PROXIES', 'true', proxies('true')],
  ['PI_RATE_LIMIT', '0', 'must be an integer from 1 to 999999, in requests per second'],
  ['PI_DRAIN_MS', '60001', 'must be an integer from 0 to 60000, in milliseconds'],
  ['PI_DRAIN_MS', '5s', 'must be an integer from 0 to 60000, in milliseconds'],
  ['PI_SANDBOX', 'everybody', 'must be loopback or network'],
  [
    'PI_LOG_LEVEL',
    'verbose',
    'must be one of silent, error, warn, info, debug (default warn); received "verbose".',
  ],
] as const)('rejects %s=%s and names the rule', (name, value, rule) => {
  expect(() => readConfig({}, { [name]: value })).toThrow(`${name}: ${rule}`)
})

test('names every invalid setting in one error', () => {
  const read = () => readConfig({ port: 'http' }, { PI_DRAIN_MS: '5s', PI_SANDBOX: 'everybody' })
  expect(read).toThrow(/^--port: .*\nPI_DRAIN_MS: .*\nPI_SANDBOX: .*$/)
})

test.each(['PI_RATE_LIMIT', 'PI_SANDBOX', 'PI_TRUSTED_PROXIES'])(
  'masks a secret that was set as %s',
  (name) => {
    const key = randomSalt(32).toString('base64url')
    for (const secret of [sampleKey('a1B2'), `k1:${key}`, 'postgres://me:hush@db/x']) {
      const read = () => readConfig({}, { [name]: secret })
      expect(read).toThrow(/received ".*…/)
      expect(read).not.toThrow(/a1B2|hush/)
      expect(read).not.toThrow(key.slice(0, 9))
    }
  },
)

test.each([
  [{ port: 'http' }, '--port: must be an integer from 0 to 65534'],
  [{ memory: true, data: 'x' }, '--memory and --data: cannot be combined'],
  [{ databaseUrl: 'mysql://x' }, '--database-url: must begin with postgres://'],
] as const)('rejects the options %j and names the rule', (flags, rule) => {
  expect(() => readConfig(flags, {})).toThrow(rule)
})
