/**
 * A service in this process or as a process, and the requests of a merchant's server.
 *
 * Every response of the merchant API is checked against the API's own description.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { sendRequest } from '@pi-checkout/test-support/raw-http'
import { startService as startProgram } from '@pi-checkout/test-support/stack'
import { pino } from 'pino'
import { expect } from 'vitest'
import { z } from 'zod'
import { openapi } from '../../src/api-docs/openapi.ts'
import * as commands from '../../src/cli/admin-commands.ts'
import { type Flags, readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/start/open-store.ts'
import { startService } from '../../src/start/start.ts'
import type { Database } from '../../src/store/database.ts'
import { atEnd, startPostgres, temporaryFolder } from './lifetime.ts'

/** Where a merchant's server sends its requests, and its API key. */
export interface Merchant {
  readonly url: string
  readonly apiKey: string
}

export type TestService = Awaited<ReturnType<typeof startTestService>>

/**
 * Starts a service on free ports with a merchant, in a new folder, unless the environment names a store.
 *
 * @param options - Options of the command, the clock, and timeouts for slow senders in milliseconds.
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  { flags, ...timeouts }: Parameters<typeof startService>[2] & { readonly flags?: Flags } = {},
) {
  const isNew = env.PI_DATA_DIR === undefined && env.PI_DATABASE_URL === undefined
  const config = readConfig(
    { port: '0', demo: true, ...flags },
    { PI_DRAIN_MS: '0', ...(isNew && { PI_DATA_DIR: temporaryFolder() }), ...env },
  )
  const logged: string[] = []
  const log = pino({ level: config.logLevel }, { write: (line) => void logged.push(line) })
  const { ready, stop } = await startService(config, log, timeouts)
  const url = ready.baseUrl

  /** Runs a command beside it. */
  const run = async <Result>(
    command: (all: typeof commands, db: Database) => Promise<Result>,
  ): Promise<Result> => {
    const db = await openDatabase(config.store)
    return await command(commands, db).finally(() => db.close())
  }

  return {
    ready,
    url,
    apiKey: String(ready.apiKey),
    stop: atEnd(stop),
    /** Lines of its log, from `PI_LOG_LEVEL` up. */
    logged,
    administer: run,
    /** Creates an API key, and its merchant if there is none. */
    newKey: async (merchant: string, environment: 'test' | 'live' = 'test') => {
      return {
        ...(await run(({ createKey }, db) => createKey(db, { merchant, environment }))),
        url,
      }
    },
    /** Registers an origin of a merchant, or removes it. */
    changeOrigin: async (
      change: 'addOrigin' | 'removeOrigin',
      origin: string,
      { merchant = 'Tsiran', environment = 'test' as 'test' | 'live' } = {},
    ) => void (await run((all, db) => all[change](db, origin, { merchant, environment }))),
  }
}

/** The settings of both kinds of stores, for tests of routes. */
export const storeSettings = [
  ['SQLite', async (): Promise<NodeJS.ProcessEnv> => ({})],
  ['PostgreSQL', async (): Promise<NodeJS.ProcessEnv> => (await startPostgres()).env],
] as const

/** Starts `pi-service start --json` on a free port. */
export async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const program = await startProgram(args, env)
  atEnd(() => program.stop())
  return { ...program, url: program.ready.baseUrl, apiKey: String(program.ready.apiKey) }
}

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

/** Sends a create. A text `body` is sent as it is. */
export async function create(
  { url, apiKey }: Merchant,
  body: unknown = order,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(`${url}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return await described(response, 'create', headers)
}

/** Creates an intent and returns the fields that tests read. */
export async function created(...sent: Parameters<typeof create>) {
  const response = await create(...sent)
  expect(response.status).toBe(201)
  return (await response.json()) as Record<'id' | 'clientSecret' | 'createdAt', string>
}

/** Opens the hosted page of a new intent. */
export async function openPage(...sent: Parameters<typeof create>): Promise<HostedPage> {
  const page = new HostedPage(sent[0])
  await page.open(await created(...sent))
  return page
}

/** Lets a page wait for the next version of its intent. */
export async function startWaiting(page: HostedPage) {
  const response = page.get('?waitForVersion=2', AbortSignal.timeout(20_000))
  expect(await Promise.race([response, sleep(200, 'waits')])).toBe('waits')
  return { response }
}

export async function retrieve(
  { url, apiKey }: Merchant,
  id: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(`${url}/payment-intents/${id}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  })
  return await described(response, 'retrieve', headers)
}

/** Returns the `status` of an intent. */
export async function statusOf(merchant: Merchant, id: string): Promise<unknown> {
  return ((await (await retrieve(merchant, id)).json()) as { status: unknown }).status
}

/** Whether a response repeats an earlier one with the same key. */
export function isReplay({ headers }: Response): boolean {
  return headers.get('idempotent-replayed') === 'true'
}

/** Returns HTTP status and code of a problem: `404 not_found`. */
export async function problemOf(response: Response): Promise<string> {
  const { code } = (await response.json()) as { code: string }
  return `${response.status} ${code}`
}

/** Sends lines that no HTTP client sends, and returns the response, if it is not chunked. */
export async function sendRaw(url: string, lines: readonly string[], body = ''): Promise<Response> {
  const { hostname: host, port } = new URL(url)
  const request = [...lines, 'Connection: close', '', body].join('\r\n')
  const { status, headers, body: text } = await sendRequest(port, request, { host })
  return new Response(text, { status, headers })
}

interface Operation {
  readonly responses: Record<string, Described>
}

interface Described {
  readonly headers: Record<string, unknown>
  readonly content: Record<string, { readonly schema: { readonly $ref: string } }>
}

const { paths, components } = openapi('http://127.0.0.1') as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, z.core.JSONSchema.JSONSchema> }
}
const operations = {
  create: paths['/payment-intents']?.post,
  retrieve: paths['/payment-intents/{id}']?.get,
}
const schemas = new Map(
  Object.entries(components.schemas).map(([name, schema]) => [name, z.fromJSONSchema(schema)]),
)

/** Headers of the API; the others belong to HTTP and browsers. */
const apiHeaders =
  /^(?:allow|idempotent-replayed|location|request-id|retry-after|www-authenticate)$/

/**
 * Fails the test if status, headers, media type, or body differ from the description.
 *
 * @param sent - Headers of the request: some inject a fault into the response.
 */
export async function described(
  response: Response,
  operation: keyof typeof operations,
  sent: Record<string, string> = {},
): Promise<Response> {
  if (/truncate-body|stall-body|malformed-json/.test(sent['sandbox-fault'] ?? '')) return response
  const { responses = {} } = operations[operation] ?? {}
  const { content = {}, headers = {} } = responses[response.ok ? response.status : 'default'] ?? {}
  const known = Object.keys(headers).map((name) => name.toLowerCase())
  const received = [...response.headers.keys()].filter((name) => apiHeaders.test(name))
  expect(known).toEqual(expect.arrayContaining(received))
  const [[mediaType, { schema }] = expect.fail(`${operation} has no ${response.status}`)] =
    Object.entries(content)
  expect(response.headers.get('content-type')).toContain(mediaType)
  expect(response.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{20}$/)
  const name = schema.$ref.split('/').at(-1) ?? ''
  schemas.get(name)?.parse(await response.clone().json())
  return response
}
