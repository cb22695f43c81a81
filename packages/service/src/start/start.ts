/** Starts an instance: store, two servers, and first merchant. Stops it after open requests have ended. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { createMainApp, createTestBankApp } from '../app.ts'
import type { Config } from '../config.ts'
import {
  close,
  createPendingServer,
  listen,
  type PendingServer,
  type ServerTimeouts,
  serverTimeouts,
  urlOf,
} from '../http/server.ts'
import { createOptions } from '../options.ts'
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
    readonly inspectorUrl: string
    readonly adminToken: string
  }
  /**
   * Is not ready for `drainMs`, and still serves requests. Then rejects new connections, waits for open requests,
   * and closes the store, within ten seconds.
   */
  stop(): Promise<void>
}

/** Logs go to standard error. Standard output is for results. */
export function createLog({ logLevel }: Config): Logger {
  return pino({ level: logLevel }, pino.destination(2))
}

/** @param overrides - Of `serverTimeouts` and the clock of the machine, for tests. */
export async function startService(
  config: Config,
  log = createLog(config),
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
  const [draining, stopping] = [new AbortController(), new AbortController()]
  const options = createOptions(config, {
    db: store.db,
    keys: store.keys,
    log,
    now,
    publicUrl: config.publicUrl ?? urlOf(main.server),
    challengeUrl: config.challengeUrl ?? urlOf(bank.server),
    draining: draining.signal,
    stopping: stopping.signal,
  })
  const apiKey = await firstKey(config, options)
  const apps = await Promise.all([
    createMainApp(options, main.server),
    createTestBankApp(options, bank.server),
  ])
  main.open(apps[0].routing)
  bank.open(apps[1].routing)
  const baseUrl = urlOf(main.server)
  const { publicUrl: checkoutOrigin, adminToken, running } = options
  log.info({ baseUrl, checkoutOrigin, store: config.store.kind }, 'The service is ready')
  return {
    ready: {
      baseUrl,
      checkoutOrigin,
      apiKey,
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
      await Promise.all([close(main.server), close(bank.server)])
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
