/**
 * The whole house for the browser tests: the real service and the shop, each a process.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { demoShop, piService, runProgram, startProgram } from '../../../.ci/program.mjs'

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
  const service = await startProgram([
    ...[...piService(), 'start', '--json', '--port', '0'],
    ...store,
  ])
  const { baseUrl, checkoutOrigin, apiKey, adminToken, inspectorUrl } = JSON.parse(service.line)
  const shop = await startProgram([...demoShop(), '--json'], {
    env: {
      PORT: '0',
      PI_API_KEY: apiKey,
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_ADMIN_TOKEN: adminToken,
      PI_INSPECTOR_URL: inspectorUrl,
      PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64url')}`,
      PI_SHOP_DATA: join(data, 'shop'),
    },
  })
  const { shopUrl, adminUrl } = JSON.parse(shop.line)
  await runProgram([...piService(), 'origins', 'add', shopUrl, ...store])
  project.provide('house', { shopUrl, adminUrl, baseUrl, apiKey, adminToken })

  return async () => {
    await shop.stop()
    await service.stop()
    await rm(data, { recursive: true, force: true })
  }
}
