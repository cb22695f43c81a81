/**
 * A service in this process, and the requests that a merchant's server would send it.
 *
 * @module
 */
import pino from 'pino'
import { readConfig } from '../../src/config.ts'
import { type Running, startService } from '../../src/start.ts'

export interface TestService extends Running {
  readonly url: string
  readonly apiKey: string
}

/** Starts a service in memory on free ports, silent. */
export async function startTestService(env: NodeJS.ProcessEnv = {}): Promise<TestService> {
  const config = readConfig({ port: '0', memory: true }, env)
  const running = await startService(config, pino({ enabled: false }))
  return { ...running, url: running.ready.baseUrl, apiKey: String(running.ready.apiKey) }
}

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

/** Sends a create as a merchant's server does. `body` goes out as it is when it is text. */
export async function create(
  { url, apiKey }: Pick<TestService, 'url' | 'apiKey'>,
  body: unknown = order,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export async function retrieve(
  { url, apiKey }: Pick<TestService, 'url' | 'apiKey'>,
  id: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}/payment-intents/${id}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  })
}
