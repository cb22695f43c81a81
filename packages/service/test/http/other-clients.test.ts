import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test, vi } from 'vitest'
import { atEnd } from '../support/lifetime.ts'
import { openPage, startTestService } from '../support/service.ts'

const service = await startTestService()
const { host, port } = new URL(service.url)

/** @see Finding S3 */
test('rejects requests without a wait, however many others it has rejected', async () => {
  // No timer ends, so that a response that waits for one never comes.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  atEnd(() => vi.useRealTimers())
  const unknownPath = `GET /nothing HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const unknownKey = `GET /payment-intents/x HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer x\r\n\r\n`
  const received: string[] = []
  const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(port)))
  for (const [at, socket] of sockets.entries()) {
    atEnd(() => socket.destroy())
    socket.on('data', (bytes) => void received.push(String(bytes).slice(9, 12)))
    socket.write(at < 499 ? unknownPath : unknownKey)
  }
  const until = performance.now() + 20_000
  while (received.length < 500 && performance.now() < until) await new Promise(setImmediate)
  expect(received).toContain('401')
  expect(received).toHaveLength(500)
})

/** @see Finding S5 */
test('rejects the newest of 21 waiting pages of one intent, after a pause, until others leave', async () => {
  const page = await openPage(service)
  const left = new AbortController()
  const waiting = Array.from({ length: 21 }, () => page.get('?waitForVersion=2', left.signal))
  for (const each of waiting) each.catch(() => {})
  expect(await Promise.race([...waiting, sleep(1500, 'none')])).toBe('none')
  const { status, headers } = await Promise.race(waiting)
  expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  left.abort()
  await sleep(500)
  const waits = async (): Promise<unknown> =>
    await Promise.race([page.get('?waitForVersion=2'), sleep(4000, 'waits')])
  await expect.poll(waits).toBe('waits')
  await page.post('cancel', {})
})
