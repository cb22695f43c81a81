// One fuzzer for each operation that a client can reach: those of the OpenAPI document, and those of the pages.

import { problemCodes } from '@pi-checkout/contract/problem'
import { orderedBuyer } from '@pi-checkout/test-support/demo-buyer'
import { seed } from '@pi-checkout/test-support/generated'
import { measure, probed } from '@pi-checkout/test-support/probe'
import type { StartedProgram } from '@pi-checkout/test-support/process'
import { rawRequest, statusOf } from '@pi-checkout/test-support/raw-http'
import { type Stack, startStack } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import fc from 'fast-check'
import { workerFixture } from '../fixtures/base-test.ts'
import { createIntent, retrieve } from '../fixtures/merchant.ts'
import { near } from './inputs.ts'

/** Inputs for each operation. */
const cases = Number(process.env.PI_FUZZ_CASES ?? 1000)
/** Milliseconds for which one input may block a program's event loop. */
const maxStall = 1000
/** Bytes that a program may keep after all inputs: a client is remembered for a while, an input is not. */
const maxKept = 2 * 1024 * 1024 + cases * 350
/** Bytes of an error response, its head included. */
const maxError = 16 * 1024
/** What any HTTP server returns for an odd head or body, or for another path, such as that of a page. */
const malformed = [303, 400, 404, 405, 413, 414, 415, 417, 431, 501]

/** What the service may say of a request: the document has one response for all. */
const rejections = Object.values(problemCodes)
  .map(({ status }) => status)
  .filter((status) => status < 500)

/** A valid request, and what may come back for others. */
interface Operation {
  readonly line: string
  readonly program: Pick<StartedProgram, 'child' | 'log'>
  readonly port: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent for a request without a body. */
  readonly body?: object
  readonly statuses: readonly number[]
}

/** A separate stack: the inputs leave data and used-up limits. */
const test = base.extend<object, { stack: Stack }>({
  stack: workerFixture(() => startStack({ service: probed, shop: probed })),
})

// One stack, whose programs are measured.
test.describe.configure({ mode: 'default' })
test.setTimeout(60_000 + cases * 120)

test('each operation of the OpenAPI document returns what it documents', async ({ stack }) => {
  const { id } = await createIntent(stack)
  const { api } = stack
  const document: OpenApi = await (await fetch(`${api.baseUrl}/openapi.json`)).json()
  const operations = Object.entries(document.paths).flatMap(([path, { get, post }]) =>
    Object.entries({ get, post }).map(([method, operation]) => ({ path, method, operation })),
  )
  let fuzzed = 0
  for (const { path, method, operation } of operations) {
    if (!operation) continue
    const { requestBody, responses } = operation
    await fuzz(`${method} ${path}`, {
      line: `${method.toUpperCase()} ${path.replace('{id}', id)}`,
      program: stack.service,
      port: new URL(api.baseUrl).port,
      headers: { authorization: `Bearer ${api.apiKey}` },
      ...(requestBody && { body: requestBody.content['application/json'].example }),
      statuses: [...Object.keys(responses).map(Number), ...rejections],
    })
    fuzzed++
  }
  expect(fuzzed).toBe(2)
  expect((await retrieve(stack, id)).status).toBe(200)
})

test('each operation of the pages rejects what it does not understand', async ({ stack }) => {
  const [buyer, other] = [await orderedBuyer(stack), await orderedBuyer(stack)]
  const { id, clientSecret } = await buyer.handoff()
  const { token } = await other.page.open(await other.handoff())
  const { api, shopUrl } = stack
  const service = { program: stack.service, port: new URL(api.baseUrl).port }
  const headers = { origin: api.baseUrl, authorization: `Bearer ${token}` }
  const card = { number: '4000000000003220', expMonth: 12, expYear: 2034, cvc: '123' }
  const bodies = {
    session: { id, clientSecret, origin: shopUrl },
    confirm: {
      confirmationId: '0123456789abcdef',
      version: 1,
      paymentMethod: { type: 'card', card },
    },
    'challenge/open': { returnUrl: `${shopUrl}/x` },
    'challenge/cancel': {},
    cancel: {},
  }
  for (const [path, body] of Object.entries(bodies)) {
    await fuzz(path, {
      ...service,
      line: `POST /checkout-api/${path}`,
      headers,
      body,
      statuses: [200, 400, 401, 403, 404, 409, 413, 429],
    })
  }
  await fuzz('handoff', {
    program: stack.shop,
    port: new URL(shopUrl).port,
    line: 'POST /checkout/handoff',
    headers: { origin: shopUrl, cookie: `sid=${buyer.session}` },
    body: { orderId: buyer.orderId },
    statuses: [200, 400, 403, 404, 413, 429],
  })
  expect((await retrieve(stack, id)).status).toBe(200)
  expect(await buyer.phase()).toBe('open')
})

/** Sends many inputs at the same time. A failure contains its input. */
async function fuzz(name: string, operation: Operation): Promise<void> {
  const { program, statuses } = operation
  const inputs = fc.sample(inputsOf(operation), { numRuns: cases, seed })
  const tally = new Map<number, number>()
  // Stalls of the start do not count.
  await measure(program)
  const warm = inputs.splice(0, cases / 5)
  await sendAll(warm)
  const before = await measure(program)
  await sendAll(inputs)
  const after = await measure(program)
  const stall = Math.max(before.stall, after.stall)
  process.stdout.write(`  ${name} ${JSON.stringify([...tally].sort())} ${Math.round(stall)} ms\n`)
  expect(stall, `${name}: longest stall, ms`).toBeLessThan(maxStall)
  expect(after.heap - before.heap, `${name}: bytes kept`).toBeLessThan(maxKept)
  // The inputs are near enough to a valid one, or use up the limit of a valid session.
  expect([...tally.keys()].some((status) => status < 300 || status === 429)).toBe(true)

  async function sendAll(list: readonly Input[]): Promise<void> {
    const queue = list.values()
    const lane = async (): Promise<void> => {
      for (const input of queue) {
        const response = await rawRequest(operation.port, input.text)
        const status = statusOf(response)
        const expected = [...statuses, ...(input.isOdd ? malformed : [])].includes(status)
        const isLong = status >= 400 && response.length > maxError
        const isTrace = /node_modules|\n {4}at |at .*\.js:\d+/.test(response)
        if (!expected || status === 500 || isLong || isTrace) {
          const sent = JSON.stringify(input.text.slice(0, 2000))
          throw new Error(`${name}, PI_SEED=${seed}: ${sent}: ${response.slice(0, 500)}`)
        }
        tally.set(status, (tally.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 16 }, lane))
  }
}

interface Input {
  readonly text: string
  /** Its head differs from the valid one: a server may reject it before it reads the rest. */
  readonly isOdd: boolean
}

/** Requests whose head or whose body is near the valid one. */
function inputsOf({ line, port, headers, body }: Operation): fc.Arbitrary<Input> {
  const lines = Object.entries({ ...headers, 'content-type': 'application/json' })
  const head = [
    `${line} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...lines.map((each) => each.join(': ')),
  ]
  const valid = { head: head.join('\r\n'), content: body ? JSON.stringify(body) : '' }
  const heads = near(valid.head).map((text) => ({ ...valid, head: text }))
  const contents = near(valid.content).map((content) => ({ ...valid, content }))
  return fc.oneof(heads, ...(body ? [contents] : [])).map(({ head: first, content }) => {
    const bytes = Buffer.from(content).toString('latin1')
    // The last lines say where the request ends, also for a server that rejects it.
    const rest = [`content-length: ${bytes.length}`, 'connection: close', '', bytes]
    return { text: [first, ...rest].join('\r\n'), isOdd: first !== valid.head }
  })
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Partial<Record<'get' | 'post', OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly requestBody?: { readonly content: { 'application/json': { example: object } } }
  readonly responses: Readonly<Record<string, unknown>>
}
