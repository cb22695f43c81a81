/**
 * A service with two merchants, for tests of their isolation.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { startTestService, type TestService } from './service.ts'

export interface Merchant extends TestService {
  readonly merchant: string
}

export interface TwoMerchants {
  /** Created by the start of the service. */
  readonly first: Merchant
  readonly second: Merchant
  /** The first one's live environment. */
  readonly live: Merchant
  /** Data directory of the service. */
  readonly data: string
  close(): Promise<void>
}

/** Starts a service on a directory, and creates a key for each merchant. */
export async function startTwoMerchants(
  env: NodeJS.ProcessEnv = {},
  log?: Logger,
): Promise<TwoMerchants> {
  const data = await mkdtemp(join(tmpdir(), 'pi-two-merchants-'))
  const service = await startTestService({ PI_DATA_DIR: data, ...env }, log)
  const newKey = async (merchant: string, environment: 'test' | 'live'): Promise<Merchant> => {
    const made = await sendAdminCommand(data, { command: 'keys create', merchant, environment })
    if (!made || !('apiKey' in made)) throw new Error('no key')
    return { ...service, merchant, apiKey: made.apiKey }
  }
  return {
    first: { ...service, merchant: 'Demo Shop' },
    second: await newKey('Sevan Books', 'test'),
    live: await newKey('Demo Shop', 'live'),
    data,
    close: async () => {
      await service.stop()
      await rm(data, { recursive: true })
    },
  }
}
