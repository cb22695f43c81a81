/** The service and the shop as processes, for all browser tests. @module */
import { type ServiceReady, type ShopReady, startStack } from '@pi-checkout/test-support/stack'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    readonly stack: ServiceReady & ShopReady
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { api, shop, stop } = await startStack()
  project.provide('stack', { ...api, ...shop.ready })
  return stop
}
