import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { cspReports } from '../../src/checkout/csp-reports.ts'
import { serveHandlers } from '../support/lifetime.ts'
import { problemOf } from '../support/service.ts'

const lines: string[] = []
const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) })
let now = 0
const reports = cspReports({ log, now: () => new Date(now) })
const origin = await serveHandlers({ reports })

beforeEach(() => {
  lines.length = 0
  now += 60_000
})

async function send(body: unknown, type = 'application/reports+json'): Promise<Response> {
  return await fetch(`${origin}/checkout-api/reports`, {
    method: 'POST',
    headers: type === '' ? {} : { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

function report(body: object, type = 'csp-violation'): object {
  return { type, url: 'https://x/?secret', body: { effectiveDirective: 'img-src', ...body } }
}

test.each([
  ['https://evil.example/a?secret=1', 'https://evil.example'],
  ['inline', 'inline'],
  [undefined, undefined],
])('logs directive and origin of a report that blocked %s', async (blockedURL, blocked) => {
  expect((await send([report({ blockedURL })], 'application/reports+json; x=y')).status).toBe(204)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 40, directive: 'img-src', blocked, msg: 'A page violated its CSP' },
  ])
})

test.each([
  ['another type of report', [report({}, 'deprecation')]],
  ['a directive with other characters', [report({ effectiveDirective: 'img-src\n' })]],
  ['a directive that is too long', [report({ effectiveDirective: 'x'.repeat(41) })]],
  ['an empty directive', [report({ effectiveDirective: '' })]],
  ['no list', report({})],
])('accepts %s, and logs nothing', async (_, body) => {
  expect((await send(body)).status).toBe(204)
  expect(lines).toEqual([])
})

test('logs 60 reports a minute', async () => {
  const longest = report({ effectiveDirective: 'x'.repeat(40) })
  await send(Array.from({ length: 59 }, () => longest))
  expect(lines).toHaveLength(59)
  // An invalid report after those that may be logged is not read.
  await send([...Array.from({ length: 60 }, () => report({})), 'invalid'])
  expect(lines).toHaveLength(60)
  now += 59_999
  await send([longest])
  expect(lines).toHaveLength(60)
  now++
  await send([longest])
  expect(lines).toHaveLength(61)
})

test('rejects another media type, and more than 16 KB', async () => {
  for (const type of ['application/json', 'x-application/reports+json']) {
    const response = await send([], type)
    expect(response.headers.get('accept-post')).toBe('application/reports+json')
    expect(await response.json()).toMatchObject({
      ...{ status: 415, code: 'unsupported_media_type' },
      detail: 'Content-Type must be application/reports+json.',
    })
  }
  const size = 16 * 1024
  expect((await send('[]'.padEnd(size))).status).toBe(204)
  expect(await problemOf(await send('[]'.padEnd(size + 1)))).toBe('413 payload_too_large')
})
