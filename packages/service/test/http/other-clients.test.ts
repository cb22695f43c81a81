import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test, vi } from 'vitest'
import { rejectionDelay, waitsOfIntent } from '../../src/waiting/waits.ts'
import { atEnd } from '../support/lifetime.ts'
import { startTestService } from '../support/service.ts'

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
test('keeps twenty waiting pages of one intent, rejects all others after a pause, and forgets those that left', async () => {
  const page = await service.openPage()
  const left = new AbortController()
  const wait = async (signal?: AbortSignal) => await page.get('?waitForVersion=2', signal)
  const leaving = Array.from({ length: waitsOfIntent }, () => wait(left.signal))
  expect(await Promise.race([...leaving, sleep(500, 'none')])).toBe('none')
  left.abort()
  await Promise.allSettled(leaving)
  await sleep(2000)
  const waiting = Array.from({ length: 50 }, () => wait())
  expect(await Promise.race([...waiting, sleep(rejectionDelay / 2, 'none')])).toBe('none')
  const { status, headers } = await Promise.race(waiting)
  expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  await page.post('cancel', {})
  const statuses = (await Promise.all(waiting)).map((each) => each.status)
  expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(30).fill(429)])
})
