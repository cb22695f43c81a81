/** The examples that send the static page, and a service for the tests of a file. @module */
import { startExample } from '@pi-checkout/test-support/example'
import type { StartedProgram } from '@pi-checkout/test-support/process'
import { type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { beforeAll, onTestFinished } from 'vitest'

export const servers = ['express', 'fastify', 'hono', 'koa', 'nest', 'node', 'quick-start'] as const

/** What the service printed when it was ready. */
export let api: ServiceReady

/** Starts a service for the tests of the file that calls it. */
export function useService(): void {
  beforeAll(async () => {
    const service = await startService(['--memory'])
    api = service.ready
    return service.stop
  })
}

/** Starts an example until the end of the test. */
export async function openExample(
  name: string,
): Promise<StartedProgram & { readonly shop: string }> {
  const started = await startExample(api, name)
  onTestFinished(() => void started.stop())
  return started
}

/** Fields that these tests read. */
export interface ResponseBody {
  readonly id: string
  readonly clientSecret: string
  readonly phase: string
}

export async function read(response: Response): Promise<ResponseBody> {
  return (await response.json()) as ResponseBody // The tests expect what they need of it.
}
