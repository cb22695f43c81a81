import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test, vi } from 'vitest'
import { atEnd } from '../support/lifetime.ts'
import { created, startTestService } from '../support/service.ts'

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
  'responds to %s waiting pages of one intent only when it changes',
  async (count) => {
    const pair = await created(service)
    const pages = Array.from({ length: count }, () => new HostedPage(service))
    // 100 sessions of one intent may be opened at once.
    const [first] = pages
    await first?.open(pair)
    for (const page of pages) page.token = first?.token ?? ''
    const end = AbortSignal.timeout(2500)
    const statuses: number[] = []
    const polls = pages.map(async (page) => {
      // As a page does, which asks again immediately.
      while (!end.aborted) {
        const response = await page.get('?waitForVersion=2', end).catch(() => undefined)
        if (response) statuses.push(response.status)
      }
    })
    await Promise.all(polls)
    expect(statuses).toEqual([])
    const { status, headers } = await rejectedOf(pages)
    expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  },
)

/** Returns the first response to pages that wait together. */
async function rejectedOf(pages: readonly HostedPage[]): Promise<Response> {
  const end = new AbortController()
  const waiting = pages.map((page) => page.get('?waitForVersion=2', end.signal))
  for (const each of waiting) each.catch(() => {})
  const response = await Promise.race(waiting)
  end.abort()
  return response
}

/** @see Finding S8 */
test('opens one challenge for 20 pages at the same time', async () => {
  const pair = await created(service)
  const page = new HostedPage(service)
  await page.open(pair)
  await page.pay('4000000000003220')
  const opened = Array.from({ length: 20 }, () => page.post('challenge/open', {}))
  const statuses = (await Promise.all(opened)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 200))
})
