/**
 * Starts one instance: store, two listeners, a first merchant; and stops it without losing anything.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { z } from 'zod'
import { serveAdminSocket } from './admin-socket.ts'
import { type AdminResult, administer, firstMerchantName } from './administration.ts'
import { mainListener } from './app.ts'
import { challengeApp } from './checkout/challenge-app.ts'
import { type Config, storeOptions } from './config.ts'
import type { Context } from './context.ts'
import { writeDurably } from './data-directory.ts'
import { logAnswers } from './http/answer-log.ts'
import { authenticator } from './http/authenticate.ts'
import { type ClientAddresses, clientAddresses } from './http/client-address.ts'
import { clientErrorAnswers } from './http/client-error.ts'
import { boundConnections } from './http/connections.ts'
import { deferContinue, hostOption, refuseExpectation, wellFormed } from './http/expectations.ts'
import { holdRequests } from './http/held-requests.ts'
import { rateLimits } from './http/rate-limit.ts'
import { transportOption } from './http/strict-transport.ts'
import { intentStore } from './intents/intent-store.ts'
import { startReaper } from './intents/reaper.ts'
import { createApiKey, findApiKeys, isApiKey } from './merchants/api-keys.ts'
import {
  addOrigin,
  ensureEnvironment,
  ensureMerchant,
  firstMerchant,
} from './merchants/merchants.ts'
import { makeNotifier } from './notifier/notifier.ts'
import { packageRoot } from './package-root.ts'
import { faultRules } from './sandbox/faults.ts'
import { openStore, type Store } from './store.ts'

/** A running instance, in the words of `start --json`. */
export interface Running {
  readonly ready: {
    readonly baseUrl: string
    readonly checkoutOrigin: string
    /** The first test key; `null` where only an earlier start has shown it. */
    readonly apiKey: string | null
    readonly environment: 'test'
    readonly inspectorUrl: string
    readonly adminToken: string
  }
  /** Stops accepting, finishes what is in flight, closes the store: within ten seconds. */
  stop(): Promise<void>
}

/** The demo shop's default origin: registered by every start, so that the first page works. */
const demoOrigin = 'http://localhost:3000'

/**
 * Starts an instance.
 *
 * @param patience With slow senders, instead of the usual: a test has less.
 * @throws {TypeError} A setting is wrong, or a port is busy; the message names the fix.
 * @throws {DirectoryInUse} Another process has the data directory.
 */
export async function startService(
  config: Config,
  log: Logger,
  patience: Partial<typeof serverOptions> = {},
): Promise<Running> {
  const options = { ...serverOptions, ...patience }
  const store = await openStore(config)
  const addresses = clientAddresses(config.trustedProxies)
  const main = makeServer(options, { origin: config.publicUrl, log, addresses })
  const challenge = makeServer(options, { origin: config.challengeUrl, log, addresses })
  try {
    await listen(main.server, { host: config.host, port: config.port, name: 'PI_PORT or --port' })
    await listen(challenge.server, {
      host: config.host,
      port: config.challengePort,
      name: 'PI_PORT or --port',
    })
    const context: Context = {
      db: store.db,
      keys: store.keys,
      log,
      now: () => new Date(),
      publicUrl: config.publicUrl ?? urlOf(main.server),
      challengeUrl: config.challengeUrl ?? urlOf(challenge.server),
      hostedFolder: fileURLToPath(new URL('dist/hosted/', packageRoot)),
    }
    return await serve(config, { store, context, addresses, main, challenge })
  } catch (error) {
    const servers = [main.server, challenge.server]
    // Whoever waits there will not be answered.
    for (const server of servers) server.closeAllConnections()
    await Promise.all(servers.map(close))
    await store.close()
    throw error
  }
}

async function serve(
  config: Config,
  {
    store,
    context,
    addresses,
    main,
    challenge,
  }: {
    readonly store: Store
    readonly context: Context
    readonly addresses: ClientAddresses
    readonly main: Opening
    readonly challenge: Opening
  },
): Promise<Running> {
  const adminToken = randomBytes(32).toString('base64url')
  const limits = rateLimits(config, addresses.ofRequest)
  const auth = authenticator(context, limits.failure)
  const stopping = new AbortController()
  const parts = {
    authenticator: auth,
    faults: faultRules(),
    limits,
    intents: intentStore(context.db),
    notifier: makeNotifier(context, stopping.signal),
    adminToken,
    sandboxFrom: config.sandboxFrom,
    stopping: stopping.signal,
    storeOptions: storeOptions(config.store),
    metrics: config.metrics,
  }
  const apiKey = await firstKey(config, context)
  const answerMain = mainListener(context, parts)
  const answerChallenge = challengeApp(context)
  // What runs by itself comes last: a start that failed before leaves nothing behind.
  const stopAdmin =
    config.store.kind === 'directory'
      ? await serveAdminSocket(config.store.directory, {
          log: context.log,
          run: async (command) => {
            const { storeOptions } = parts
            const result: AdminResult = await administer({ ...context, storeOptions }, command)
            auth.forget()
            return result
          },
        })
      : async () => {}
  const stopReaper = startReaper(context)
  const { log, publicUrl } = context
  main.open(answerMain)
  challenge.open(answerChallenge)
  const baseUrl = urlOf(main.server)
  log.info({ baseUrl, checkoutOrigin: publicUrl, store: config.store.kind }, 'The service is ready')
  return {
    ready: {
      baseUrl,
      checkoutOrigin: context.publicUrl,
      apiKey,
      environment: 'test',
      inspectorUrl: `${context.publicUrl}/_sandbox/#${adminToken}`,
      adminToken,
    },
    stop: async () => {
      stopping.abort()
      const until = performance.now() + longestStop
      const left = (): number => until - performance.now()
      const working = [close(main.server), close(challenge.server), stopReaper(), stopAdmin()]
      await within(Promise.all(working), left() - longestClose)
      if (await within(store.close(), left())) log.info('The service has stopped')
      else log.warn('The service has stopped; a statement of the store was still running')
    },
  }
}

/** A supervisor kills what has not ended ten seconds after SIGTERM. In milliseconds. */
const longestStop = 9000
const longestClose = 2000
/** What a client has not received by then is cut off. */
const longestResponse = 6000

/** Waits for work; `false` when it has not ended in so many milliseconds. */
async function within(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes the first merchant, and finds or makes the test key that a start shows. */
async function firstKey(config: Config, context: Context): Promise<string | null> {
  const { db, now } = context
  const existing = await firstMerchant(db)
  const merchant = existing ?? firstMerchantName
  const isFirst = existing === undefined && (await ensureMerchant(db, merchant, now()))
  const environment = await ensureEnvironment(db, { merchant, mode: 'test' }, now())
  for (const origin of [demoOrigin, ...config.origins]) {
    await addOrigin(db, { environmentId: environment.id, origin })
  }
  const make = async () =>
    (await createApiKey(db, context.keys, { environment, now: now() })).apiKey

  switch (config.store.kind) {
    case 'memory':
      return await make()
    case 'postgres':
      // Another start has shown its key already; a second one would only add to what can leak.
      return isFirst ? await make() : null
    case 'directory': {
      const file = join(config.store.directory, 'sandbox.json')
      const kept = await readKept(file)
      const fault = kept && (await faultOf(kept, context))
      if (kept && !fault) return kept
      const apiKey = await make()
      await writeDurably(file, `${JSON.stringify({ apiKey })}\n`)
      if (fault) {
        context.log.warn(`The API key in ${file} ${fault}. PI_API_KEY is a new one, stored there.`)
      }
      return apiKey
    }
  }
}

/** Why a key that an earlier start stored is of no use now. */
async function faultOf(
  apiKey: string,
  { db, keys, now }: Pick<Context, 'db' | 'keys' | 'now'>,
): Promise<string | undefined> {
  const [found] = isApiKey(apiKey) ? await findApiKeys(db, keys, [apiKey]) : []
  if (!found) return 'is unknown in this store'
  if (found.revokedAt) return 'was revoked'
  if (found.expiresAt && found.expiresAt <= now()) return 'has expired'
  return found.environment.mode === 'live' ? 'is for a live environment' : undefined
}

const Kept = z.object({ apiKey: z.string() })

async function readKept(file: string): Promise<string | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8'))).apiKey
  } catch {
    return undefined // Missing or damaged: the start creates another, and the old one stays valid.
  }
}

/** Slow senders, and clients that do not read, lose their connection while others are served. */
const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  // Longer than clients and proxies keep an idle connection (60 s is usual): whoever closes first races
  // with the next request, and a POST that loses is not sent again by itself.
  keepAliveTimeout: 72_000,
  /** Without a byte that the client takes of a response. */
  writeTimeout: 30_000,
}
const maxConnections = 10_000
/** A company or a mobile network behind one address has fewer. */
const maxConnectionsOfClient = 1000

async function listen(
  server: Server,
  { host, port, name }: { readonly host: string; readonly port: number; readonly name: string },
): Promise<void> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new TypeError(
        `Port ${port} of ${host} is busy: stop what uses it, or choose another with ${name} (0 takes a free one)`,
      )
    }
    if (code === 'EACCES') {
      throw new TypeError(
        `Port ${port} needs rights that this user lacks; choose one above 1023 with ${name}`,
      )
    }
    throw error
  }
}

/** A server that listens, or is about to; its requests wait for `open`. */
interface Opening {
  readonly server: Server
  readonly open: (listener: RequestListener) => void
}

function makeServer(
  options: typeof serverOptions,
  {
    origin,
    log,
    addresses,
  }: {
    readonly origin: string | undefined
    readonly log: Logger
    readonly addresses: ClientAddresses
  },
): Opening {
  const { writeTimeout, ...timeouts } = options
  const server = createServer({ ...timeouts, ...hostOption, ...transportOption(origin) })
  server.on('clientError', clientErrorAnswers(origin ?? ''))
  const logged = (listener: RequestListener): RequestListener =>
    logAnswers(log, addresses.ofRequest, listener)
  server.on('checkExpectation', logged(refuseExpectation(log)))
  boundConnections(server, {
    most: maxConnections,
    mostOfClient: maxConnectionsOfClient,
    writeTimeout,
    clientOf: addresses.ofSocket,
  })
  deferContinue(server)
  const open = holdRequests(server)
  return { server, open: (listener) => open(logged(wellFormed(log, listener))) }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // Again and again: one that is answering now is idle a moment later, and would be kept.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  // What does not end by itself is cut off, so that a stop always stops.
  const cut = setTimeout(() => server.closeAllConnections(), longestResponse)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

function urlOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server is not listening')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${address.port}`
}
