import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import {
  type AgentOptions,
  createServer,
  Agent as HttpsAgent,
  type ServerOptions,
} from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createCertificate } from '@pi-checkout/test-support/certificate'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { PaymentIntents, type PaymentIntentsOptions, type PiError } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  clientOf,
  created,
  failureOf,
  listenerOf,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  type Step,
  scriptedService,
} from '../scripted-service.ts'

afterEach(() => vi.unstubAllGlobals())

const getBuiltinModule = () => expect.fail('a module of Node.js was used')
test.each([
  ['without process', 'process', undefined],
  ['with an early Node.js', 'process', { versions: { node: '20.10.0' } }],
  ['of Bun', 'process', { versions: { node: '24.0.0', bun: '1.3.0' }, getBuiltinModule }],
  ['of Deno', 'process', { versions: { node: '24.0.0', deno: '2.5.0' }, getBuiltinModule }],
  ['of Cloudflare', 'navigator', { userAgent: 'Cloudflare-Workers' }],
])('sends with globalThis.fetch on a runtime %s', async (_, name, value) => {
  const service = fakeService()
  const { apiKey, baseUrl } = service.options
  vi.stubGlobal(name, value)
  const intents = new PaymentIntents({ apiKey, baseUrl })
  // The test runner needs its process.
  vi.unstubAllGlobals()
  vi.stubGlobal('fetch', service.options.fetch)
  await intents.create(order)
  expect(service.requests).toHaveLength(1)
})

test.each([
  ['of the other protocol', new Agent()],
  ['with a malformed certificate', new HttpsAgent({ cert: 'no' })],
  ['with an unknown version', new HttpsAgent({ minVersion: 'no' as never })],
])('sends nothing with a global agent %s', async (_, agent) => {
  setGlobalAgent('https', agent)
  const error = await failure({ baseUrl: 'https://127.0.0.1:1', maxRetries: 0 })
  expect(error).toMatchObject({ code: 'not_connected', outcome: 'not_sent' })
})

test('makes one connection with the global agent for 30 requests, without a warning or fetch', async () => {
  vi.stubGlobal('fetch', () => expect.fail('the global fetch was used'))
  const onWarning = vi.fn()
  process.on('warning', onWarning)
  const agent = new Agent({ keepAlive: true })
  setGlobalAgent('http', agent)
  const createConnection = vi.spyOn(agent, 'createConnection')
  const { intents } = await clientOf([created()])
  for (let amount = 1; amount <= 30; amount++) await intents.create({ ...order, amount })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(createConnection).toHaveBeenCalledOnce()
  expect(onWarning).not.toHaveBeenCalled()
})

test('a request on a socket that the agent of a proxy had connected counts as sent', async () => {
  const service = await scriptedService(reset)
  const { port } = new URL(service.url)
  setConnections((_, ready) => {
    const socket = connect(Number(port), '127.0.0.1', () => ready?.(null, socket))
    return undefined
  })
  const error = await failure({ baseUrl: service.url, maxRetries: 0 })
  expect(error).toMatchObject({ code: 'connection_lost', outcome: 'unknown' })
})

test('an agent that finds no connection has sent nothing', async () => {
  setConnections((_, ready) => {
    setImmediate(() => ready?.(new Error('the proxy is closed'), null as never))
    return undefined
  })
  const error = await failure({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  expect(error).toMatchObject({ code: 'not_connected', outcome: 'not_sent', retryable: true })
  expect(error.cause).toMatchObject({ cause: { message: 'the proxy is closed' } })
})

const certificate = await createCertificate(['localhost'])
const { cert: ca } = certificate

test('a request that is reset after the TLS handshake counts as sent', async () => {
  const service = await tlsService(certificate, (count) => count > 1)
  setGlobalAgent('https', new HttpsAgent({ ca, keepAlive: true }))
  const options = { baseUrl: `https://localhost:${service.port}`, maxRetries: 0 }
  await new PaymentIntents({ apiKey, ...options }).create(order)
  // The first one uses the connection of the create, the second one another.
  for (const _ of ['reused', 'new']) {
    expect(await failure(options)).toMatchObject({ code: 'connection_lost', outcome: 'unknown' })
  }
  expect(service).toMatchObject({ requests: 3, connections: 2 })
})

const early: ServerOptions = { ...certificate, maxVersion: 'TLSv1.2' }
const late = { ca, minVersion: 'TLSv1.3' } as const
test.each<[what: string, ServerOptions, host: string, AgentOptions, typeof fetch?]>([
  ['a private authority', certificate, 'localhost', {}],
  ['another host name', certificate, '127.0.0.1', { ca }],
  ['another host name, with fetch', certificate, '127.0.0.1', {}, fetch],
  ['no client certificate', { ...early, ca, requestCert: true }, 'localhost', { ca }],
  ['no TLS version in common', early, 'localhost', late],
])('sends nothing with %s', async (_, options, host, agent, fetch) => {
  const service = await tlsService(options)
  setGlobalAgent('https', new HttpsAgent(agent))
  const error = await failure({ baseUrl: `https://${host}:${service.port}`, fetch, maxRetries: 0 })
  expect(error).toMatchObject({ code: 'not_connected', outcome: 'not_sent' })
  expect(error.advice).toContain('NODE_EXTRA_CA_CERTS')
  expect(service.requests).toBe(0)
})

test.each<[string, (socket: Socket) => unknown]>([
  ['a server without TLS', (socket) => socket.end('HTTP/1.1 400 x\r\n\r\n')],
  ['a handshake that breaks', (socket) => socket.destroy()],
])('tries again after %s, to which nothing was sent', async (_, respond) => {
  const server = createNetServer((socket) => respond(socket.on('error', () => {})))
  const onConnection = vi.fn()
  const port = await listen(server.on('connection', onConnection))
  const error = await failure({ baseUrl: `https://localhost:${port}`, maxRetries: 1 })
  expect(error).toMatchObject({ code: 'not_connected', outcome: 'not_sent', retryable: true })
  expect(onConnection).toHaveBeenCalledTimes(2)
})

test('keeps the path of the base URL, and connects to IPv6 without brackets', async () => {
  const { url, requests } = await scriptedService(retrieved())
  const port = Number(new URL(url).port)
  const createConnection = vi.fn(() => connect(port, '127.0.0.1'))
  setConnections(createConnection)
  const intents = new PaymentIntents({ apiKey, baseUrl: `http://[::1]:${port}/v1/` })
  await intents.retrieve('pi_1')
  const expected = expect.objectContaining({ host: '::1' })
  expect(createConnection).toHaveBeenCalledWith(expected, expect.anything())
  expect(requests).toMatchObject([{ url: '/v1/payment-intents/pi_1' }])
})

const loggers: [string, (response: IncomingMessage) => unknown][] = [
  ['decodes each response', (response) => response.setEncoding('utf8')],
  ['collects its parts', (response) => response.on('data', () => {})],
  ['collects its text', (response) => response.setEncoding('utf8').on('data', () => {})],
  ['listens to "readable"', (response) => response.on('readable', () => {})],
  ['iterates over it', (response) => text(response)],
  ['pauses it', (response) => setImmediate(() => response.pause())],
  ['pipes it', (response) => response.pipe(new PassThrough({ highWaterMark: 1 }))],
]
const patches = (['http', 'https'] as const).flatMap((protocol) =>
  loggers.map(([name, log]) => [protocol, name, log] as const),
)
test.each(patches)('%s: reads each response behind a logger that %s', async (protocol, _, log) => {
  patchRequest(protocol, (request) => request.on('response', log))
  const { url } = await scriptedService(created())
  const { port } = await tlsService(certificate)
  setGlobalAgent('https', new HttpsAgent({ ca }))
  const baseUrl = protocol === 'https' ? `https://localhost:${port}` : url
  const intents = new PaymentIntents({ apiKey, baseUrl })
  const { intent } = await intents.create({ ...order, metadata: { name: 'Անի' } })
  expect(intent.metadata).toEqual({ name: 'Անի' })
})

const broken = () => expect.fail('broken logger')
test.each<[string, (request: ClientRequest) => unknown]>([
  ['a part', (request) => request.on('response', (response) => response.on('data', broken))],
  ['the request', (request) => Object.assign(request, { end: broken })],
])('rejects with what a logger throws at %s', async (_, patch) => {
  patchRequest('http', patch)
  const { url } = await scriptedService(created())
  const options = { baseUrl: url, maxRetries: 0 }
  const expected = { code: 'connection_lost', outcome: 'unknown' }
  expect(await failure(options)).toMatchObject(expected)
})

const limit = 256 * 1024
const ways: [string, typeof fetch?][] = [['node:http'], ['fetch', fetch]]
describe.each(ways)('with %s', (_, fetch) => {
  const read = (service: { readonly url: string }) =>
    new PaymentIntents({
      apiKey,
      baseUrl: service.url,
      fetch,
      maxRetries: 0,
      translate: ({ body }) => body,
    }).retrieve('pi_1')

  test('sends nothing to the target of a redirect', async () => {
    const target = await scriptedService(retrieved())
    const service = await scriptedService(redirect(307, `${target.url}/payment-intents/pi_1`))
    const error = await failureOf(read(service))
    expect(error).toMatchObject({ code: 'redirect_refused', status: 307 })
    expect([service.requests.length, target.requests.length]).toEqual([1, 0])
  })

  test.each(['content-length', 'chunked'])('reads 256 KB, and no more: %s', async (coding) => {
    const shop = new PaymentIntents(fakeService().options)
    const { intent } = await shop.create({ ...order, metadata: { name: 'Անի' } })
    const json = Buffer.from(JSON.stringify({ ...intent, id: 'pi_1' }))
    const within = json.indexOf('Ա') + 1
    const send =
      (size: number): Step =>
      (response) => {
        if (coding === 'content-length') response.setHeader('content-length', size)
        // The second part begins within a character.
        response.write(json.subarray(0, within))
        response.end(Buffer.concat([json.subarray(within), Buffer.alloc(size - json.length, ' ')]))
      }
    const service = await scriptedService(send(limit), send(limit + 1))
    expect(await read(service)).toMatchObject({ metadata: { name: 'Անի' } })
    const error = await failureOf(read(service))
    expect(error).toMatchObject({ code: 'response_too_large', outcome: 'unknown' })
  })

  test('closes the connection of an endless response', async () => {
    const onClose = vi.fn()
    const service = await scriptedService((response) => {
      response.on('close', onClose).write(' '.repeat(limit + 1))
    })
    await expect(read(service)).rejects.toMatchObject({ code: 'response_too_large' })
    await expect.poll(() => onClose).toHaveBeenCalled()
  })
})

test('a status that a `Response` cannot have ends the call, not the process', async () => {
  const { url } = await scriptedService(problem(600, 'x'))
  const options = { baseUrl: url, maxRetries: 0 }
  expect(await failure(options)).toMatchObject({ outcome: 'unknown', retryable: true })
})

const denoConnect = 'error sending request for url (http://shop.example/): client error (Connect)'
const refused = 'tcp connect error: Connection refused (os error 61)'
test.each([
  ['not_sent', new TypeError('fetch failed', { cause: new Error(`${denoConnect}: dns error`) })],
  ['not_sent', new TypeError(`${denoConnect}: ${refused}`)],
  ['not_sent', new TypeError(`error sending request: ${refused}`)],
  ['unknown', new TypeError(denoConnect.replace('Connect', 'SendRequest'))],
  ['unknown', new TypeError('error sending request: Connection reset by peer (os error 104)')],
])('the outcome is %s after the error of Deno: %s', async (outcome, error) => {
  const options = { baseUrl: 'http://127.0.0.1:1', fetch: () => Promise.reject(error) }
  expect(await failure({ ...options, maxRetries: 0 })).toMatchObject({ outcome })
})

function setConnections(createConnection: Agent['createConnection']): void {
  setGlobalAgent('http', Object.assign(new Agent(), { createConnection }))
}

/** Replaces the global agent in this test. */
function setGlobalAgent(protocol: 'http' | 'https', agent: Agent): void {
  const module: { globalAgent: Agent } = process.getBuiltinModule(`node:${protocol}`)
  const { globalAgent } = module
  module.globalAgent = agent
  onTestFinished(() => {
    module.globalAgent = globalAgent
    agent.destroy()
  })
}

/** Lets a logger see each request that the client makes. */
function patchRequest(protocol: 'http' | 'https', see: (request: ClientRequest) => unknown): void {
  const module = process.getBuiltinModule(`node:${protocol}`)
  const { request } = module
  const patched = vi.spyOn(module, 'request').mockImplementation((...options: unknown[]) => {
    const made = Reflect.apply(request, module, options)
    see(made)
    return made
  })
  onTestFinished(() => patched.mockRestore())
}

/** A service with TLS that counts its requests. */
async function tlsService(
  options: ServerOptions,
  isReset: (request: number) => boolean = () => false,
): Promise<{ readonly port: number; requests: number; connections: number }> {
  const fake = fakeService()
  const listener = listenerOf(fake)
  const server = createServer(options, (request, response) => {
    service.requests++
    if (isReset(service.requests)) return request.socket.destroy()
    request.headers.authorization = `Bearer ${fake.options.apiKey}`
    return listener(request, response)
  })
  server.on('tlsClientError', () => {}).on('secureConnection', () => service.connections++)
  onTestFinished(() => server.closeAllConnections())
  const service = { port: await listen(server), requests: 0, connections: 0 }
  return service
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function failure(options: PaymentIntentsOptions): Promise<PiError> {
  return failureOf(new PaymentIntents({ apiKey, ...options }).create(order))
}
