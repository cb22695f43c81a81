/**
 * A service in this process or as a process, and the requests of a merchant's server.
 *
 * Every response of the merchant API is checked against the API's own description.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeyPattern } from '@pi-checkout/contract'
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

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

/** A merchant's server with its API key, and its buyers. */
export class Merchant {
  readonly url: string
  readonly apiKey: string

  constructor({ url, apiKey }: { readonly url: string; readonly apiKey: string }) {
    this.url = url
    this.apiKey = apiKey
  }

  /** The id of the environment, which the API key names. */
  get environmentId(): string {
    return `env_${apiKeyPattern.exec(this.apiKey)?.[2]}`
  }

  /** Sends a create. A text `body` is sent as it is. */
  async create(body: unknown = order, headers: Record<string, string> = {}): Promise<Response> {
    const own = { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${this.url}/payment-intents`, {
      method: 'POST',
      headers: { ...own, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return await described(response, 'create', headers)
  }

  /** Creates an intent and returns the fields that tests read. */
  async created(...sent: Parameters<Merchant['create']>) {
    const response = await this.create(...sent)
    expect(response.status).toBe(201)
    return (await response.json()) as Record<'id' | 'clientSecret' | 'createdAt', string>
  }

  async retrieve(id: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.url}/payment-intents/${id}`, {
      headers: { authorization: `Bearer ${this.apiKey}`, ...headers },
    })
    return await described(response, 'retrieve', headers)
  }

  /** Returns the `status` of an intent. */
  async statusOf(id: string): Promise<unknown> {
    return ((await (await this.retrieve(id)).json()) as { status: unknown }).status
  }

  /** Opens the hosted page of a new intent. */
  async openPage(...sent: Parameters<Merchant['create']>): Promise<HostedPage> {
    const page = new HostedPage(this)
    await page.open(await this.created(...sent))
    return page
  }
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
  const own = { PI_DRAIN_MS: '0', ...(isNew && { PI_DATA_DIR: temporaryFolder() }) }
  const config = readConfig({ port: '0', demo: true, ...flags }, { ...own, ...env })
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

  return Object.assign(new Merchant({ url, apiKey: String(ready.apiKey) }), {
    ready,
    stop: atEnd(stop),
    /** Lines of its log, from `PI_LOG_LEVEL` up. */
    logged,
    administer: run,
    /** Creates an API key, and its merchant if there is none. */
    newKey: async (merchant: string, environment: 'test' | 'live' = 'test') => {
      const key = await run(({ createKey }, db) => createKey(db, { merchant, environment }))
      return Object.assign(new Merchant({ ...key, url }), { id: key.id })
    },
    revokeSecret: async (id: string) =>
      void (await run(({ revokeSecret }, db) => revokeSecret(db, id))),
    /** Registers an origin of a merchant, or removes it. */
    changeOrigin: async (
      change: 'add' | 'remove',
      origin: string,
      { merchant = 'Tsiran', environment = 'test' as 'test' | 'live' } = {},
    ) => {
      const named = { merchant, environment, origin }
      await run(({ changeOrigin }, db) => changeOrigin(db, change, named))
    },
    /** Sends a request to the sandbox API with the admin token, as a developer does. */
    control: async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
      const authorization = `Bearer ${ready.adminToken}`
      const json = body !== undefined && { 'content-type': 'application/json' }
      const headers = { authorization, ...json }
      const sent = { method, headers, body: JSON.stringify(body) ?? null }
      return await fetch(`${url}/_sandbox${path}`, sent)
    },
  })
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
  const { baseUrl: url, apiKey } = program.ready
  return Object.assign(new Merchant({ url, apiKey }), program)
}

/** Lets a page wait for the next version of its intent. */
export async function startWaiting(page: HostedPage) {
  const response = page.get('?waitForVersion=2', AbortSignal.timeout(20_000))
  expect(await Promise.race([response, sleep(200, 'waits')])).toBe('waits')
  return { response }
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

/** What the description says of a response. */
interface Described {
  readonly headers: Readonly<Record<string, unknown>>
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>
}

const { paths, components } = openapi('http://127.0.0.1')
const responses: Readonly<Record<string, Readonly<Record<string, Described>> | undefined>> = {
  create: paths['/payment-intents']?.post?.responses,
  retrieve: paths['/payment-intents/{id}']?.get?.responses,
}
const schemas = new Map<string, z.ZodType>()
for (const [name, schema] of Object.entries(components.schemas)) {
  schemas.set(`#/components/schemas/${name}`, z.fromJSONSchema(schema))
}

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
  operation: 'create' | 'retrieve',
  sent: Record<string, string> = {},
): Promise<Response> {
  if (/truncate-body|stall-body|malformed-json/.test(sent['sandbox-fault'] ?? '')) return response
  const found = responses[operation]?.[response.ok ? response.status : 'default']
  if (!found) throw new Error(`${operation} has no ${response.status}`)
  const [type = '', { schema = {} } = {}] = Object.entries(found.content)[0] ?? []
  const received = [...response.headers.keys()].filter((name) => apiHeaders.test(name))
  expect(Object.keys(found.headers)).toEqual(expect.arrayContaining(received))
  expect(response.headers.get('content-type')).toContain(type)
  expect(response.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{20}$/)
  schemas.get(schema.$ref ?? '')?.parse(await response.clone().json())
  return response
}
