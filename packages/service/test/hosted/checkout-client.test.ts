import { afterEach, expect, test, vi } from 'vitest'
import { CheckoutApi, isRejection } from '../../hosted/checkout/checkout-client.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** An API whose next response is a body, to which the test writes. */
function respondingApi() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let writer: ReadableStreamDefaultController | undefined
  const request = vi.fn(async (_path: string, { signal }: RequestInit) => {
    const start = (controller: ReadableStreamDefaultController): void => {
      writer = controller
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    }
    return new Response(new ReadableStream({ start }))
  })
  vi.stubGlobal('fetch', request)
  const write = (text: string): void => writer?.enqueue(new TextEncoder().encode(text))
  return { api: new CheckoutApi(async () => {}), request, write, end: () => writer?.close() }
}

test('waits for as long as the service sends spaces', async () => {
  const { api, request, write, end } = respondingApi()
  const reading = api.intent(2)
  for (let pulse = 0; pulse < 10; pulse++) {
    await vi.advanceTimersByTimeAsync(59_000)
    write(' ')
  }
  write('{"version":2,"status":"canc')
  write('eled"}')
  end()
  expect(await reading).toEqual({ version: 2, status: 'canceled' })
  expect(request.mock.calls[0]?.[0]).toBe('/checkout-api/intent?waitForVersion=2')
})

test('gives up a long poll 60 seconds after the last space, and another request after 10', async () => {
  for (const version of [2, undefined]) {
    const seconds = version ? 60 : 10
    const { api, write } = respondingApi()
    let hasEnded = false
    const reading = api.intent(version).finally(() => {
      hasEnded = true
    })
    reading.catch(() => {})
    if (version) {
      await vi.advanceTimersByTimeAsync(30_000)
      write(' ')
    }
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect(hasEnded).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await expect(reading).rejects.toThrow()
  }
})

test.each([
  [{ code: 'version_conflict', detail: 'Changed.' }, true],
  ...[null, [], 'Forbidden', {}, { code: 403 }, { code: 'blocked', errors: 1 }].map(
    (body): [unknown, boolean] => [body, false],
  ),
])('takes the response 403 with %j for a rejection: %s', async (body, expected) => {
  vi.stubGlobal('fetch', async () => Response.json(body, { status: 403 }))
  const reading = new CheckoutApi(async () => {}).intent()
  expect(isRejection(await reading.catch((error: unknown) => error))).toBe(expected)
})
