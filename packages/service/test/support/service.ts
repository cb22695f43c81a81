/**
 * A service in this process or as a process, and the requests of a merchant's server.
 *
 * Every response of the merchant API is checked against the API's own description.
 *
 * @module
 */
import { sendRequest } from '@pi-checkout/test-support/raw-http'
import { startService as startProgram } from '@pi-checkout/test-support/stack'
import { pino } from 'pino'
import { expect } from 'vitest'
import { z } from 'zod'
import { openapi } from '../../src/api-docs/openapi.ts'
import { type Commands, onStore } from '../../src/cli/admin-commands.ts'
import { type Flags, readConfig } from '../../src/config.ts'
import { type RunningService, startService } from '../../src/start/start.ts'
import type { Database } from '../../src/store/database.ts'
import { atEnd, startPostgres } from './lifetime.ts'

/** Where a merchant's server sends its requests, and its API key. */
export interface Merchant {
  readonly url: string
  readonly apiKey: string
}

export interface TestService extends RunningService, Merchant {
  /** Lines of its log, from `PI_LOG_LEVEL` up. */
  readonly logged: string[]
}

/**
 * Starts a service on free ports; in memory, unless the environment names a store. It has a merchant.
 *
 * @param options - Options of the command, the clock, and timeouts for slow senders in milliseconds.
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  { flags, ...timeouts }: Parameters<typeof startService>[2] & { readonly flags?: Flags } = {},
): Promise<TestService> {
  const memory = env.PI_DATA_DIR === undefined && env.PI_DATABASE_URL === undefined
  const config = readConfig(
    { port: '0', memory, demo: true, ...flags },
    { PI_DRAIN_MS: '0', ...env },
  )
  const logged: string[] = []
  const log = pino({ level: config.logLevel }, { write: (line) => void logged.push(line) })
  const { ready, stop } = await startService(config, log, timeouts)
  return { ready, stop: atEnd(stop), logged, url: ready.baseUrl, apiKey: String(ready.apiKey) }
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

/** Creates an API key beside the service that has the directory. */
export async function newKey(
  directory: string,
  merchant: string,
  environment: 'test' | 'live' = 'test',
): Promise<{ readonly id: string; readonly apiKey: string }> {
  return await administer(directory, ({ createKey }, db) =>
    createKey(db, { merchant, environment }),
  )
}

/** Runs a command beside the service that has the directory. */
export async function administer<Result>(
  directory: string,
  command: (commands: Commands, db: Database) => Promise<Result>,
): Promise<Result> {
  return await onStore(readConfig({ data: directory }, {}).store, command)
}

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

/** Sends a create. A text `body` is sent as it is. */
export async function create(
  { url, apiKey, signal }: Merchant & { readonly signal?: AbortSignal },
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
    ...(signal && { signal }),
  })
  return await described(response, 'create', headers)
}

/** A created intent, with the fields that tests read. */
export interface CreatedIntent {
  readonly id: string
  readonly clientSecret: string
  readonly createdAt: string
}

/** Creates an intent and returns it. */
export async function created(...sent: Parameters<typeof create>): Promise<CreatedIntent> {
  const response = await create(...sent)
  expect(response.status).toBe(201)
  return (await response.json()) as CreatedIntent
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

/** Headers of the API; the others belong to HTTP and browsers. */
const apiHeaders = [
  'allow',
  'idempotent-replayed',
  'location',
  'request-id',
  'retry-after',
  'www-authenticate',
]

interface Description {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Described> }>>
  readonly components: { readonly schemas: Record<string, z.core.JSONSchema.JSONSchema> }
}

interface Described {
  readonly headers: Record<string, unknown>
  readonly content: Record<string, { readonly schema: { readonly $ref: string } }>
}

const { paths, components } = openapi('http://127.0.0.1') as Description
const operations = {
  create: paths['/payment-intents']?.post,
  retrieve: paths['/payment-intents/{id}']?.get,
}
const schemas = new Map(
  Object.entries(components.schemas).map(([name, schema]) => [name, z.fromJSONSchema(schema)]),
)

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
  const { content, headers } = responses[response.ok ? response.status : 'default'] ?? {}
  expect(content, `${operation} has no ${response.status}`).toBeDefined()
  const known = Object.keys(headers ?? {}).map((name) => name.toLowerCase())
  expect(known).toEqual(
    expect.arrayContaining(apiHeaders.filter((name) => response.headers.has(name))),
  )
  const [mediaType = '', media] = Object.entries(content ?? {})[0] ?? []
  expect(response.headers.get('content-type')).toContain(mediaType)
  expect(response.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{20}$/)
  const name = media?.schema.$ref.split('/').at(-1) ?? ''
  schemas.get(name)?.parse(await response.clone().json())
  return response
}
