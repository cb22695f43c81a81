import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { newSecretKey, readSecretKey } from '../src/secret-keys.ts'
import { temporaryFolder } from './support/lifetime.ts'
import { startTestService } from './support/service.ts'

test('drains for 5 seconds with PostgreSQL, and not with the embedded store', () => {
  const drainMs = (flags: object, PI_DRAIN_MS = ''): number =>
    readConfig(flags, { PI_DRAIN_MS }).drainMs
  const shared = { databaseUrl: 'postgres://me@db/x' }
  expect([drainMs(shared), drainMs({}), drainMs({ memory: true })]).toEqual([5000, 0, 0])
  expect([drainMs(shared, '0'), drainMs({}, '60000')]).toEqual([0, 60_000])
})

const origin =
  'must be an origin such as https://pay.example.com, without a path or trailing slash. http is accepted for loopback only.'

test.each([
  ['PI_PUBLIC_URL', 'http://pay.example.com', origin],
  ['PI_PUBLIC_URL', 'https://pay.example.com/', origin],
  ['PI_PUBLIC_URL', 'https://*.example.com', origin],
  ['PI_CHALLENGE_URL', 'http://bank.example.net', origin],
  ['PI_RATE_LIMIT', '0', 'must be an integer from 1 to 999999, in requests per second.'],
  ['PI_DRAIN_MS', '60001', 'must be an integer from 0 to 60000, in milliseconds.'],
  ['PI_DRAIN_MS', '5s', 'must be an integer from 0 to 60000, in milliseconds.'],
  ['PI_SANDBOX', 'everybody', 'must be one of loopback, network (default loopback).'],
  ['PI_LOG_LEVEL', 'verbose', 'must be one of silent, error, warn, info (default warn).'],
] as const)('rejects %s=%s with its name and its rule, without the value', (name, value, rule) => {
  expect(() => readConfig({}, { [name]: value })).toThrow(new TypeError(`${name}: ${rule}`))
})

test('names every invalid setting in one error', () => {
  const read = () => readConfig({ port: 'http' }, { PI_DRAIN_MS: '5s', PI_SANDBOX: 'everybody' })
  expect(read).toThrow(/^--port: .*\nPI_DRAIN_MS: .*\nPI_SANDBOX: .*$/)
})

test.each([
  [{ port: '65535' }, '--port: must be an integer from 0 to 65534'],
  [{ memory: true, data: 'x' }, '--memory and --data: cannot be combined'],
  [{ databaseUrl: 'mysql://x' }, '--database-url: must begin with postgres://'],
] as const)('rejects the options %j and names the rule', (flags, rule) => {
  expect(() => readConfig(flags, {})).toThrow(rule)
})

const random = newSecretKey()
const sample = Buffer.alloc(32, 'sample').toString('base64url')
const form = 'must be 32 random bytes as 43 characters of base64url'

test.each([
  ['a sample', sample, 'is not random'],
  ['zeros', 'A'.repeat(43), 'is not random'],
  ['a short key', random.slice(1), form],
  ['a passphrase', 'correct horse battery staple', form],
  ['a key with an id', `k1:${random}`, form],
] as const)('rejects %s with the rule, without the value', (_, text, rule) => {
  const read = () => readSecretKey(text)
  expect(read).toThrow(TypeError)
  expect(read).toThrow(`PI_SECRET_KEY: ${rule}`)
  for (const part of text.split(/[: ]/).filter(({ length }) => length > 10)) {
    expect(read).not.toThrow(part)
  }
})

test('rejects a start with a sample before it creates anything', async () => {
  const data = join(temporaryFolder(), 'data')
  const start = startTestService({ PI_SECRET_KEY: sample, PI_DATA_DIR: data })
  await expect(start).rejects.toThrow('PI_SECRET_KEY: is not random')
  expect(existsSync(data)).toBe(false)
})
