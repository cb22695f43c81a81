/** The examples as running shops, registered at the stack's service. @module */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@pi-checkout/test-support/free-port'
import { type StartedProgram, startProgram } from '@pi-checkout/test-support/process'
import { onTestFinished } from 'vitest'
import { stack } from './shop-page.ts'

export const folder = fileURLToPath(new URL('../../examples/', import.meta.url))
/** The examples that send the static page. */
export const servers = ['express', 'fastify', 'hono', 'koa', 'nest', 'node'] as const
export const { origin: checkoutOrigin } = new URL(stack.baseUrl)
export const variables = {
  PI_API_KEY: stack.apiKey,
  PI_BASE_URL: stack.baseUrl,
  PI_CHECKOUT_ORIGIN: checkoutOrigin,
  PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 'key of the examples').toString('base64url')}`,
}

/** Fields that these tests read. */
export interface ResponseBody {
  readonly id: string
  readonly clientSecret: string
  readonly phase: string
  readonly environments: readonly { readonly id: string }[]
}

/** How Node.js runs an example with the sources of the packages. */
export function argumentsFor(name: string): string[] {
  return ['--import', 'tsx', '--conditions=source', join(folder, name)]
}

/** Starts an example on a free port, registered at the service. Stops it after the test. */
export async function startExample(
  name: string,
): Promise<StartedProgram & { readonly shop: string }> {
  const port = await freePort()
  await register(`http://localhost:${port}`)
  const env = { ...variables, PORT: String(port) }
  const started = await startProgram(argumentsFor(name), { env })
  onTestFinished(() => void started.stop())
  return { ...started, shop: started.line }
}

export async function register(origin: string): Promise<void> {
  const { environments } = await sandbox('environments')
  await sandbox(`environments/${environments[0]?.id}/origins`, { origin })
}

export async function sandbox(path: string, body?: object): Promise<ResponseBody> {
  const response = await fetch(`${stack.baseUrl}/_sandbox/${path}`, {
    headers: {
      authorization: `Bearer ${stack.adminToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return read(response)
}

export async function read(response: Response): Promise<ResponseBody> {
  return (await response.json()) as ResponseBody // The tests expect what they need of it.
}
