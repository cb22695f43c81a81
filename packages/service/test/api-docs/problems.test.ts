import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationProblems } from '../../src/api-docs/openapi.ts'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { rawAnswer } from '../support/raw-request.ts'
import {
  create,
  described,
  order,
  retrieve,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let data: string

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'pi-service-described-'))
  service = await startTestService({ PI_DATA_DIR: data })
})

afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true })
})

test('describes both operations with all their problems as OpenAPI 3.1', async () => {
  const answer = await fetch(`${service.url}/openapi.json`)
  const description = (await answer.json()) as {
    openapi: string
    paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>
    components: { schemas: Record<string, { properties: object }> }
  }
  expect(description.openapi).toBe('3.1.0')
  expect(Object.keys(description.paths)).toEqual(['/payment-intents', '/payment-intents/{id}'])
  expect(description.components.schemas.CreatePaymentIntent?.properties).toMatchObject({
    amount: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
    orderId: { minLength: 1, maxLength: 32 },
  })
  const responses = description.paths['/payment-intents']?.post?.responses ?? {}
  for (const code of operationProblems.create) {
    expect(responses[problemCodes[code].status]?.description).toContain(code)
  }
})

/**
 * Two need more than one request: `sandbox/instances.test.ts` brings `timeout` about, and
 * `sandbox/faults.test.ts` a key that is in use.
 */
type Elsewhere = 'timeout' | 'idempotency_key_in_use'
type Provoked<Operation extends keyof typeof operationProblems> = Record<
  Exclude<(typeof operationProblems)[Operation][number], Elsewhere>,
  () => Promise<Response>
>

const provokedByCreate: Provoked<'create'> = {
  method_not_allowed: async () => await raw({ method: 'PUT' }),
  secret_key_in_browser: async () => await raw({ headers: { 'sec-fetch-site': 'cross-site' } }),
  unsupported_media_type: async () =>
    await create(service, order, { 'content-type': 'text/plain' }),
  payload_too_large: async () => await create(service, 'x'.repeat(70_000)),
  invalid_header: async () => await create(service, order, { 'sandbox-fault': 'unknown' }),
  unsupported_transfer_encoding: async () =>
    await rawAnswer(
      service.url,
      [
        ...['POST /payment-intents HTTP/1.1', 'Host: 127.0.0.1'],
        ...[`Authorization: Bearer ${service.apiKey}`, 'Content-Type: application/json'],
        'Transfer-Encoding: gzip, chunked',
      ],
      '0\r\n\r\n',
    ),
  missing_credentials: async () => await raw({ headers: { authorization: undefined } }),
  invalid_credentials: async () => await create({ ...service, apiKey: 'pi_sk_test_no' }),
  revoked_credentials: async () => await create({ ...service, apiKey: await revokedKey() }),
  rate_limited: async () => await create(service, order, { 'sandbox-fault': '429' }),
  invalid_idempotency_key: async () => await create(service, order, { 'idempotency-key': 'a b' }),
  unsupported_api_version: async () => await create(service, order, { 'api-version': '1' }),
  malformed_json: async () => await create(service, '{'),
  invalid_body: async () => await create(service, '[]'),
  validation_failed: async () => await create(service, { ...order, amount: 0 }),
  unknown_parameter: async () => await create(service, { ...order, order_id: '1' }),
  idempotency_key_reused: async () => {
    await create(service, order, { 'idempotency-key': 'reused' })
    return await create(service, { ...order, amount: 1 }, { 'idempotency-key': 'reused' })
  },
  request_timeout: unfinished,
  internal_error: async () => await create(service, order, { 'sandbox-fault': '500' }),
  store_unavailable: async () => await create(service, order, { 'sandbox-fault': '503' }),
}

const unknown = `pi_${'0'.repeat(24)}`
const provokedByRetrieve: Provoked<'retrieve'> = {
  method_not_allowed: async () => await raw({ method: 'DELETE', path: `/${unknown}` }),
  secret_key_in_browser: async () =>
    await retrieve(service, unknown, { origin: 'https://shop.example' }),
  invalid_header: async () => await retrieve(service, unknown, { 'sandbox-fault': 'unknown' }),
  missing_credentials: async () =>
    await raw({ method: 'GET', path: `/${unknown}`, headers: { authorization: undefined } }),
  invalid_credentials: async () => await retrieve({ ...service, apiKey: 'pi_sk_test_no' }, unknown),
  revoked_credentials: async () =>
    await retrieve({ ...service, apiKey: await revokedKey() }, unknown),
  rate_limited: async () => await retrieve(service, unknown, { 'sandbox-fault': '429' }),
  unsupported_api_version: async () => await retrieve(service, unknown, { 'api-version': '1' }),
  payment_intent_not_found: async () => await retrieve(service, unknown),
  internal_error: async () => await retrieve(service, unknown, { 'sandbox-fault': '500' }),
  store_unavailable: async () => await retrieve(service, unknown, { 'sandbox-fault': '503' }),
}

for (const [operation, provoked] of [
  ['create', provokedByCreate],
  ['retrieve', provokedByRetrieve],
] as const) {
  for (const [code, provoke] of Object.entries(provoked)) {
    test(`returns the documented problem of ${operation}: ${code}`, async () => {
      const answer = await described(await provoke(), operation)
      const { status, retryable } = problemCodes[code as ProblemCode]
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject({ code, status, retryable, type: `/docs#${code}` })
    })
  }
}

async function raw({
  method = 'POST',
  path = '',
  headers = {},
}: {
  method?: string
  path?: string
  headers?: Record<string, string | undefined>
}): Promise<Response> {
  const all = {
    authorization: `Bearer ${service.apiKey}`,
    'content-type': 'application/json',
    ...headers,
  }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const body = method === 'GET' ? null : JSON.stringify(order)
  return await fetch(`${service.url}/payment-intents${path}`, { method, headers: sent, body })
}

async function revokedKey(): Promise<string> {
  const made = await sendAdminCommand(data, {
    command: 'keys create',
    merchant: 'Revoked',
    environment: 'test',
  })
  if (!made || !('apiKey' in made)) throw new Error('no key')
  await sendAdminCommand(data, { command: 'keys revoke', id: made.id })
  return made.apiKey
}

/** A body that is announced and never sent, until the server's timeout. */
async function unfinished(): Promise<Response> {
  const timeouts = { headersTimeout: 500, requestTimeout: 500, connectionsCheckingInterval: 100 }
  const { url, apiKey, stop } = await startTestService({}, undefined, timeouts)
  const answer = await rawAnswer(url, [
    'POST /payment-intents HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ])
  await stop()
  return answer
}

test('serves the documentation with a row for each code, and its stylesheet', async () => {
  const page = await (await fetch(`${service.url}/docs`)).text()
  for (const code of Object.keys(problemCodes)) expect(page).toContain(`<tr id="${code}">`)
  expect((await fetch(`${service.url}/docs.css`)).headers.get('content-type')).toContain('text/css')
})
