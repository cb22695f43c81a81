/**
 * A service in this process, and the requests that a merchant's server would send it.
 *
 * Every response is checked against the API's own description.
 *
 * @module
 */
import pino, { type Logger } from 'pino'
import { expect } from 'vitest'
import { z } from 'zod'
import { openapi, ProblemResponse } from '../../src/api-docs/openapi.ts'
import { CreateResponse, IntentResponse } from '../../src/api-docs/response-schema.ts'
import { readConfig } from '../../src/config.ts'
import { type RunningService, startService } from '../../src/start/start.ts'

export interface TestService extends RunningService {
  readonly url: string
  readonly apiKey: string
}

/**
 * Starts a service on free ports; in memory, unless the environment names a directory.
 *
 * @param log - Silent, unless a test reads it.
 * @param timeouts - For slow senders, in milliseconds.
 */
export async function startTestService(
  env: NodeJS.ProcessEnv = {},
  log: Logger = pino({ enabled: false }),
  timeouts?: Parameters<typeof startService>[2],
): Promise<TestService> {
  const config = readConfig({ port: '0', memory: env.PI_DATA_DIR === undefined }, env)
  const running = await startService(config, log, timeouts)
  return { ...running, url: running.ready.baseUrl, apiKey: String(running.ready.apiKey) }
}

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

/** Sends a create as a merchant's server does. A text `body` is sent as it is. */
export async function create(
  { url, apiKey }: Pick<TestService, 'url' | 'apiKey'>,
  body: unknown = order,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(`${url}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return await described(answer, 'create', headers)
}

export async function retrieve(
  { url, apiKey }: Pick<TestService, 'url' | 'apiKey'>,
  id: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(`${url}/payment-intents/${id}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  })
  return await described(answer, 'retrieve', headers)
}

/** Headers of the API; the others belong to HTTP and browsers. */
const ownHeaders = [
  ...['allow', 'api-version', 'idempotent-replayed', 'location', 'ratelimit', 'ratelimit-policy'],
  ...['request-id', 'retry-after', 'www-authenticate'],
]

interface Description {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Answer> }>>
  readonly components: { readonly schemas: Record<string, z.core.JSONSchema.JSONSchema> }
}

interface Answer {
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

/** The exact schemas of this version: the description also accepts later ones. */
const exact = new Map<string, z.ZodType>([
  ['CreatedPaymentIntent', CreateResponse],
  ['PaymentIntent', IntentResponse],
  ['Problem', ProblemResponse],
])

/**
 * Fails the test if status, headers, media type, or body differ from the description.
 *
 * @param sent - Headers of the request: some inject a fault into the response.
 */
export async function described(
  answer: Response,
  operation: keyof typeof operations,
  sent: Record<string, string> = {},
): Promise<Response> {
  const broken = /truncate-body|malformed-json/.test(sent['sandbox-fault'] ?? '')
  if (broken) return answer
  const { content, headers } = operations[operation]?.responses[answer.status] ?? {}
  expect(content, `${operation} has no ${answer.status}`).toBeDefined()
  const known = Object.keys(headers ?? {}).map((name) => name.toLowerCase())
  expect(known).toEqual(
    expect.arrayContaining(ownHeaders.filter((name) => answer.headers.has(name))),
  )
  const [mediaType = '', media] = Object.entries(content ?? {})[0] ?? []
  expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${mediaType.replace('+', '.')}`))
  expect(answer.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{20}$/)
  const name = media?.schema.$ref.split('/').at(-1) ?? ''
  const body: unknown = await answer.clone().json()
  schemas.get(name)?.parse(body)
  exact.get(name)?.parse(body)
  return answer
}
