/** Starts an instance: store, two servers, and first merchant. Stops it after open requests have ended. @module */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createMainApp, createTestBankApp } from '../app.ts'
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import { createRateLimits } from '../http/rate-limit.ts'
import {
  close,
  createPendingServer,
  listenBoth,
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
  { now = realNow, ...timeouts }: Partial<ServerTimeouts> & { readonly now?: () => Date } = {},
): Promise<RunningService> {
  const store = await openServedStore(config)
  const options = { ...serverTimeouts, ...timeouts }
  const [main, challenge] = [createPendingServer(options), createPendingServer(options)]
  try {
    await listenBoth([main.server, challenge.server], config)
    return await serve(config, { log, store, main, challenge, now })
  } catch (error) {
    const servers = [main.server, challenge.server]
    // Close connections whose requests are still queued.
    for (const server of servers) server.closeAllConnections()
    await Promise.all(servers.map(close))
    await store.close()
    throw error
  }
}

async function serve(
  config: Config,
  {
    log,
    store,
    main,
    challenge,
    now,
  }: {
    readonly log: Logger
    readonly store: Store
    readonly main: PendingServer
    readonly challenge: PendingServer
    readonly now: () => Date
  },
): Promise<RunningService> {
  const { db, keys } = store
  const adminToken = randomBytes(32).toString('base64url')
  const draining = new AbortController()
  const stopping = new AbortController()
  const running = new Set<FastifyRequest>()
  const options = {
    db,
    keys,
    log,
    now,
    limits: createRateLimits(config),
    adminToken,
    running,
    publicUrl: config.publicUrl ?? urlOf(main.server),
    challengeUrl: config.challengeUrl ?? urlOf(challenge.server),
    hostedFolder: join(packageRoot, 'dist/hosted'),
    authenticator: createAuthenticator({ db, now }),
    intents: createIntentStore({ db, now }),
    waits: createWaits({ db, now }, stopping.signal),
    sandboxFrom: config.sandboxFrom,
    ...createSandbox(now),
    draining: draining.signal,
    stopping: stopping.signal,
    unready: () => (draining.signal.aborted ? 'The service is stopping.' : undefined),
  }
  const apiKey = await firstKey(config, options)
  const apps = await Promise.all([
    createMainApp(options, main.server),
    createTestBankApp(options, challenge.server),
  ])
  main.open(apps[0].routing)
  challenge.open(apps[1].routing)
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
      const working = [close(main.server), close(challenge.server)]
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
