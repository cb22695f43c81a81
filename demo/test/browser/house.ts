/**
 * The whole house for the browser tests: the real service and the shop, each a process.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  demoShop,
  piService,
  runProgram,
  type StartedProgram,
  startProgram,
} from '@pi-checkout/test-support/process'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    readonly house: House
  }
}

export interface House {
  readonly shopUrl: string
  readonly adminUrl: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly adminToken: string
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = await mkdtemp(join(tmpdir(), 'shop-house-'))
  const store = ['--data', join(data, 'service')]
  const service = await startProgram([...[piService, 'start', '--json', '--port', '0'], ...store])
  const running = [service]
  const stop = async (): Promise<void> => {
    // The shop first: it asks the service.
    for (const program of running.toReversed()) await program.stop()
    await rm(data, { recursive: true, force: true })
  }
  try {
    project.provide('house', await openShop(service.line, { data, store, running }))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function openShop(
  ready: string,
  {
    data,
    store,
    running,
  }: {
    readonly data: string
    readonly store: readonly string[]
    readonly running: StartedProgram[]
  },
): Promise<House> {
  const { baseUrl, checkoutOrigin, apiKey, adminToken, inspectorUrl } = JSON.parse(ready)
  const shop = await startProgram([demoShop, '--json'], {
    env: {
      PORT: '0',
      PI_API_KEY: apiKey,
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_ADMIN_TOKEN: adminToken,
      PI_INSPECTOR_URL: inspectorUrl,
      PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 'key of the tests').toString('base64url')}`,
      PI_SHOP_DATA: join(data, 'shop'),
    },
  })
  running.push(shop)
  const { shopUrl, adminUrl } = JSON.parse(shop.line)
  const add = ['origins', 'add', shopUrl, ...store]
  const { code, errors } = await runProgram([piService, ...add])
  if (code !== 0) throw new Error(`the shop's origin could not be registered:\n${errors}`)
  return { shopUrl, adminUrl, baseUrl, apiKey, adminToken }
}
