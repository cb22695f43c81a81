import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test, vi } from 'vitest'
import { rejectionDelay } from '../../src/waiting/waits.ts'
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
test.each([21, 200])(
  'keeps twenty of %s waiting pages of one intent, and rejects the others after a pause',
  async (count) => {
    const page = await service.openPage()
    const waiting = Array.from({ length: count }, () => page.get('?waitForVersion=2'))
    expect(await Promise.race([...waiting, sleep(rejectionDelay / 2, 'none')])).toBe('none')
    const { status, headers } = await Promise.race(waiting)
    expect([status, headers.get('retry-after')]).toEqual([429, '5'])
    await page.post('cancel', {})
    const statuses = (await Promise.all(waiting)).map((each) => each.status)
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(count - 20).fill(429)])
  },
)

test('gives the place of a waiting page that has left to another one', async () => {
  const page = await service.openPage()
  const left = new AbortController()
  const waiting = Array.from({ length: 20 }, () => page.get('?waitForVersion=2', left.signal))
  expect(await Promise.race([...waiting, sleep(500, 'none')])).toBe('none')
  left.abort()
  await Promise.allSettled(waiting)
  const another = async () =>
    await Promise.race([page.get('?waitForVersion=2'), sleep(rejectionDelay + 1000, 'waits')])
  await expect.poll(another, { timeout: 30_000 }).toBe('waits')
  await page.post('cancel', {})
})
