import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { expect, test } from 'vitest'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { order, startProcess } from '../support/service.ts'

const server = await startPostgres()
const { url, child, apiKey } = await startProcess(['--database-url', server.url], {
  PI_SECRET_KEYS: newSecretKeys(),
  PI_DRAIN_MS: '2000',
})

/** Creates an intent. Returns the HTTP status and whether the connection stays open. */
async function create(agent: Agent): Promise<string> {
  const sent = request(`${url}/payment-intents`, {
    ...{ agent, method: 'POST' },
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify(order))
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
  return `${response.statusCode} ${response.headers.connection}`
}

test('serves requests during the drain and reports that it is not ready', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  atEnd(() => agent.destroy())
  for (let count = 0; count < 20; count++) expect(await create(agent)).toBe('201 keep-alive')

  child.kill('SIGTERM')
  const stoppedAt = performance.now()
  const exited = once(child, 'exit')
  // The signal arrives while a request is running.
  while ((await create(agent)) === '201 keep-alive');
  for (let count = 0; count < 5; count++) expect(await create(agent)).toBe('201 close')
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])

  expect(await exited).toEqual([0, null])
  const seconds = (performance.now() - stoppedAt) / 1000
  expect(seconds).toBeGreaterThan(2)
  expect(seconds).toBeLessThan(12)
})
