import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startPostgres } from '../support/lifetime.ts'
import { create, startProcess } from '../support/service.ts'

const { env } = await startPostgres()
const service = await startProcess([], { ...env, PI_DRAIN_MS: '1000' })

/** Creates an intent. Returns the HTTP status and whether the connection stays open. */
async function created(): Promise<string> {
  const response = await create(service)
  await response.arrayBuffer()
  return `${response.status} ${response.headers.get('connection')}`
}

test('serves requests during the drain and reports that it is not ready', async () => {
  for (let count = 0; count < 20; count++) expect(await created()).toBe('201 keep-alive')

  service.child.kill('SIGTERM')
  const stoppedAt = performance.now()
  const exited = once(service.child, 'exit')
  // The signal arrives while a request is running.
  while ((await created()) === '201 keep-alive');
  for (let count = 0; count < 5; count++) expect(await created()).toBe('201 close')
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])

  expect(await exited).toEqual([0, null])
  const seconds = (performance.now() - stoppedAt) / 1000
  expect(seconds).toBeGreaterThan(1)
  expect(seconds).toBeLessThan(12)
})
