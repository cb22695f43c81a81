import { readFileSync } from 'node:fs'
import { limits, maxFieldErrors } from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { maxUrlLength } from '../src/checkout/return-url.ts'
import { maxDifference } from '../src/clock.ts'
import { postgresLimits } from '../src/db/postgres.ts'
import { rejections } from '../src/http/router.ts'
import { serverTimeouts } from '../src/http/server.ts'
import { lifetimes } from '../src/intents/lifetimes.ts'
import { maxOriginsLength } from '../src/merchants/merchants.ts'
import { waitsOfIntent } from '../src/waiting/waits.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../README.md')
const cli = read('../src/cli/main.ts')
const api = read('../guides/api.md')
const guide = read('../guides/production.md')
const seconds = (milliseconds: number): string => `${milliseconds / 1000} seconds`
const hours = (milliseconds: number): string => `${milliseconds / 3_600_000} hours`
const { keepAliveTimeout, requestTimeout, headersTimeout, writeTimeout } = serverTimeouts

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

test('the guide to production names no variable that the service does not read', () => {
  const known = new Set(found(readme, /\b(PI_[A-Z_]+)\b/g))
  expect(found(guide, /\b(PI_[A-Z_]+)\b/g).filter((name) => !known.has(name))).toEqual([])
})

test.each([
  [api, `\`errors\` has at most ${maxFieldErrors} entries`],
  [api, `Send at most ${limits.requestBytes / 1024} KB`],
  [api, `Send the whole request again within ${seconds(requestTimeout)}`],
  [guide, `a request body at most ${limits.requestBytes / 1024} KB`],
  [guide, `the service keeps them open for ${seconds(keepAliveTimeout)}`],
  [
    guide,
    `complete within ${seconds(requestTimeout)}, its headers within ${headersTimeout / 1000}`,
  ],
  // The pool, the listener, and two that a start compares.
  [guide, `opens at most ${postgresLimits.pool + 3} connections`],
  [guide, `returns 503 after ${seconds(postgresLimits.response)}`],
  [guide, `runs longer than ${seconds(postgresLimits.statement)}, it returns 504`],
  [guide, `${rejections.perSecond} per second in all`],
  [guide, `takes no byte of a response for ${seconds(writeTimeout)}`],
  [guide, `have at most ${maxOriginsLength.toLocaleString('en')} characters together`],
  [guide, `may have ${maxUrlLength.toLocaleString('en')} characters`],
  [guide, `| at most ${seconds(maxDifference)} | uses its own clock |`],
  [guide, `| Waiting requests of one intent | ${waitsOfIntent} |`],
  [guide, `After ${hours(lifetimes.idempotencyKey)} remove \`k1\``],
])('the documents state the limit that the service applies: %#', (text, promise) => {
  expect(text).toContain(promise)
})

function readSources(): string {
  return ['config', 'start/start', 'cli/exec'].map((name) => read(`../src/${name}.ts`)).join('\n')
}
