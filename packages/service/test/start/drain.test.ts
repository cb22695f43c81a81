import { expect, test } from 'vitest'
import { startTestService } from '../support/service.ts'

const service = await startTestService({ PI_DRAIN_MS: '1000' })

/** Creates an intent. Returns the HTTP status and whether the connection stays open. */
async function created(): Promise<string> {
  const response = await service.create()
  await response.arrayBuffer()
  return `${response.status} ${response.headers.get('connection')}`
}

test('serves requests during the drain and reports that it is not ready', async () => {
  for (let count = 0; count < 20; count++) expect(await created()).toBe('201 keep-alive')

  const stoppedAt = performance.now()
  // A request is running at the stop.
  const last = created()
  const stopped = service.stop()
  expect(await last).toMatch(/^201/)
  for (let count = 0; count < 5; count++) expect(await created()).toBe('201 close')
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])

  await stopped
  const seconds = (performance.now() - stoppedAt) / 1000
  expect(seconds).toBeGreaterThan(1)
  expect(seconds).toBeLessThan(12)
})
