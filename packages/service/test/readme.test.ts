import { readFileSync } from 'node:fs'
import { CreatedPaymentIntentSchema, limits, maxFieldErrors } from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { maxUrlLength } from '../src/checkout/return-url.ts'
import { sessionRate } from '../src/checkout/sessions.ts'
import { readConfig } from '../src/config.ts'
import { maxPipelined } from '../src/http/connections.ts'
import {
  addressConfirms,
  failureRate,
  intentConfirms,
  liveRate,
  type Rate,
} from '../src/http/rate-limit.ts'
import { maxConnections, serverTimeouts } from '../src/http/server.ts'
import { maxLines } from '../src/log.ts'
import { maxOriginsLength } from '../src/merchants/merchants.ts'
import { stopTimeout } from '../src/start/start.ts'
import { postgresLimits } from '../src/store/postgres.ts'
import { SandboxEnvironment } from '../src/testing/sandbox-environment.ts'
import { longestWait, pulseInterval, tickInterval, waitsOfIntent } from '../src/waiting/waits.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../README.md')
const cli = read('../src/cli/main.ts')
const api = read('../guides/api.md')
const guide = read('../guides/production.md')
const seconds = (milliseconds: number): string => `${milliseconds / 1000} seconds`
const thousands = (count: number): string => count.toLocaleString('en')
const perMinute = ({ perSecond }: Rate): string => `${Math.round(perSecond * 60)} per minute`
const atOnce = ({ burst, perSecond }: Rate): string =>
  `${thousands(burst)} at once, then ${perSecond} per second`
const { keepAliveTimeout, requestTimeout, headersTimeout, writeTimeout } = serverTimeouts
const { drainMs } = readConfig({ databaseUrl: 'postgres://me@db/x' }, {})

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort()
}

test('the README names every command and every option, and none that does not exist', () => {
  const commands = found(cli, /\.command\('([a-z]+)'\)/g)
  const [, table = ''] = /## Commands\n([\s\S]*?)\n## /.exec(readme) ?? []
  for (const command of commands) expect(table).toMatch(new RegExp(`\`[^\`]*\\b${command}\\b`))
  const options = found(cli, /'--([a-z-]+)[ ']/g)
  expect(options.length).toBeGreaterThan(8)
  expect(found(table, /--([a-z][a-z-]+)/g)).toEqual(options)
})

test('the README names every variable that the service reads, and none that it does not', () => {
  const read = found(cli + readSources(), /\benv\.(PI_[A-Z_]+)/g)
  const table = readme.split('\n').filter((line) => line.startsWith('| `PI_'))
  expect(found(table.join('\n'), /`(PI_[A-Z_]+)`/g)).toEqual(read)
})

test('the README names every method of a test environment', () => {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(
    SandboxEnvironment.prototype,
  )
  for (const name of Object.keys(methods)) expect(readme).toContain(`\`${name}(`)
})

test('the documented response of a create has every field, and no other', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(api) ?? []
  const described = JSON.parse(example)
  const fields = Object.keys(CreatedPaymentIntentSchema.parse(described))
  expect(Object.keys(described).sort()).toEqual(fields.sort())
})

test('the guide to production names no variable that the service does not read', () => {
  const known = new Set(found(readme, /\b(PI_[A-Z_]+)\b/g))
  expect(found(guide, /\b(PI_[A-Z_]+)\b/g).filter((name) => !known.has(name))).toEqual([])
})

const promises: readonly (readonly [text: string, promise: string])[] = [
  [api, `\`errors\` has at most ${maxFieldErrors} entries`],
  [api, `Send at most ${limits.requestBytes / 1024} KB`],
  [api, `Send the whole request again within ${seconds(requestTimeout)}`],
  // The pool, the listener, and two that a start compares.
  [guide, `opens at most ${postgresLimits.pool + 3} connections`],
  [guide, `returns 503 after ${seconds(postgresLimits.response)}`],
  [guide, `runs longer than ${seconds(postgresLimits.statement)}, it returns 504`],
  [guide, `the service keeps them open for ${seconds(keepAliveTimeout)}`],
  [guide, `keeps ${thousands(maxConnections)} of them`],
  [
    guide,
    `complete within ${seconds(requestTimeout)}, its headers within ${headersTimeout / 1000}`,
  ],
  [guide, `at most ${maxPipelined} requests wait for their turn`],
  [guide, `takes no byte of a response for ${seconds(writeTimeout)}`],
  [guide, `a request body at most ${limits.requestBytes / 1024} KB`],
  [guide, `waits up to ${longestWait / 60_000} minutes`],
  [
    guide,
    `a byte at least every ${seconds(1000 * Math.ceil((pulseInterval + tickInterval) / 1000))}`,
  ],
  [guide, `have at most ${thousands(maxOriginsLength)} characters together`],
  [guide, `may have ${thousands(maxUrlLength)} characters`],
  [guide, `Live ${liveRate}, test no limit`],
  [guide, `| Cards sent for one live intent | ${perMinute(intentConfirms)}`],
  [guide, `to live environments | ${atOnce(addressConfirms)} |`],
  [guide, `| Checkout sessions of one intent | ${atOnce(sessionRate)} |`],
  [guide, `| Waiting requests of one intent | ${waitsOfIntent} |`],
  [guide, `| Requests with an unknown API key | ${perMinute(failureRate)}`],
  [guide, `at most ${maxLines} lines a minute`],
  [guide, `\`PI_DRAIN_MS\`, ${seconds(drainMs)} by default with PostgreSQL`],
  [guide, `in less than ${seconds(stopTimeout + 1000)}`],
]

test.each(promises)(
  'the documents state the limit that the service applies: %#',
  (text, promise) => {
    expect(text).toContain(promise)
  },
)

test('the guide to production promises no number that no test compares', () => {
  const measured = ['an error response has at most 16 KB']
  const compared = [...promises.map(([, promise]) => promise), ...measured]
  const others = compared.reduce((text, promise) => text.replace(promise, ''), guide)
  const statuses = /\b(?:20[01]|400|404|429|50[034])\b/g
  const names = /```[\s\S]*?```|`[^`]*`|^\d\. |\]\(.*?\)|Debian 12|version 15|99th|\/64/gm
  expect(
    others
      .replace(names, '')
      .replace(statuses, '')
      .match(/.*\b\d+\b.*/g),
  ).toBeNull()
})

function readSources(): string {
  return ['config', 'start/start', 'cli/exec'].map((name) => read(`../src/${name}.ts`)).join('\n')
}
