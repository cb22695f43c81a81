/** Starts an instance: store, two servers, and first merchant. Stops it after open requests have ended. @module */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createMainApp, createTestBankApp } from '../app.ts'
import { createSessions } from '../checkout/sessions.ts'
import type { Config } from '../config.ts'
import { createRateLimits } from '../http/rate-limit.ts'
import {
  close,
  createPendingServer,
  listen,
  type PendingServer,
  type ServerTimeouts,
  serverTimeouts,
  urlOf,
} from '../http/server.ts'
import { createIntentStore } from '../intents/store.ts'
import { createAuthenticator } from '../merchants/authenticate.ts'
import { packageRoot } from '../package-root.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createWaits } from '../waiting/waits.ts'
import { within } from '../within.ts'
import { firstKey } from './first-key.ts'
import { openServedStore, type Store } from './open-store.ts'

/** A running instance. `ready` is the output of `start --json`. */
export interface RunningService {
  readonly ready: {
    readonly baseUrl: string
    readonly checkoutOrigin: string
    /** Test key of the demo merchant. `null` with PostgreSQL, except with `--demo`. */
    readonly apiKey: string | null
    readonly environment: 'test'
    readonly inspectorUrl: string
    readonly adminToken: string
  }
  /**
   * Is not ready for `drainMs`, and still serves requests. Then rejects new connections, waits for open requests,
   * and closes the store, within ten seconds.
   */
  stop(): Promise<void>
}

/** @param overrides - Of `serverTimeouts` and the clock of the machine, for tests. */
export async function startService(
  config: Config,
  log: Logger,
  {
    now = () => new Date(),
    ...timeouts
  }: Partial<ServerTimeouts> & { readonly now?: () => Date } = {},
): Promise<RunningService> {
  const store = await openServedStore(config)
  const options = { ...serverTimeouts, ...timeouts }
  const [main, bank] = [createPendingServer(options), createPendingServer(options)]
  try {
    await listen(main.server, config)
    await listen(bank.server, { ...config, port: config.bankPort })
    return await serve(config, { log, store, main, bank, now })
  } catch (error) {
    for (const { server } of [main, bank]) {
      // Requests that wait get no response.
      server.closeAllConnections()
      await close(server)
    }
    await store.close()
    throw error
  }
}

interface Parts {
  readonly log: Logger
  readonly store: Store
  readonly main: PendingServer
  readonly bank: PendingServer
  readonly now: () => Date
}

async function serve(
  config: Config,
  { log, store, main, bank, now }: Parts,
): Promise<RunningService> {
  const { db, keys } = store
  const adminToken = randomBytes(32).toString('base64url')
  const draining = new AbortController()
  const stopping = new AbortController()
  const running = new Set<FastifyRequest>()
  const challengeUrl = config.challengeUrl ?? urlOf(bank.server)
  const intents = createIntentStore({ db, now })
  const options = {
    db,
    keys,
    log,
    now,
    limits: createRateLimits(config),
    adminToken,
    running,
    publicUrl: config.publicUrl ?? urlOf(main.server),
    challengeUrl,
    hostedFolder: join(packageRoot, 'dist/hosted'),
    authenticator: createAuthenticator(db, now),
    intents,
    sessions: createSessions({ intents, keys, challengeUrl }),
    waits: createWaits({ db, now }, stopping.signal),
    sandboxFrom: config.sandboxFrom,
    ...createSandbox(now),
    draining: draining.signal,
    stopping: stopping.signal,
  }
  const apiKey = await firstKey(config, options)
  const apps = await Promise.all([
    createMainApp(options, main.server),
    createTestBankApp(options, bank.server),
  ])
  main.open(apps[0].routing)
  bank.open(apps[1].routing)
  const baseUrl = urlOf(main.server)
  const { publicUrl: checkoutOrigin } = options
  log.info({ baseUrl, checkoutOrigin, store: config.store.kind }, 'The service is ready')
  return {
    ready: {
      baseUrl,
      checkoutOrigin,
      apiKey,
      environment: 'test',
      // A link that works on this machine: a proxy should not serve the sandbox.
      inspectorUrl: `${config.sandboxFrom === 'network' ? checkoutOrigin : baseUrl}/_sandbox/#${adminToken}`,
      adminToken,
    },
    stop: async () => {
      draining.abort()
      await sleep(config.drainMs)
      stopping.abort()
      const deadline = performance.now() + stopTimeout
      const left = (): number => deadline - performance.now()
      const working = [close(main.server), close(bank.server)]
      await within(Promise.all(working), left() - closeTimeout)
      // Handlers whose clients have left are not waited for by their server.
      while (running.size > 0 && left() > closeTimeout) await sleep(10)
      if (await within(store.close(), left())) log.info('The service has stopped')
      else log.warn('The service has stopped while a statement of the store was running')
    },
  }
}

/** In milliseconds after the drain. Supervisors kill a process ten seconds after it, or later. */
const stopTimeout = 9000
const closeTimeout = 2000
