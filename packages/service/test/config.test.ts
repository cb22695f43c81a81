import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'

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
