import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiProblem } from '../../hosted/checkout/checkout-client.ts'
import { Retries } from '../../hosted/checkout/retry.ts'

afterEach(() => vi.useRealTimers())

const lost = new TypeError('Failed to fetch')
const rejected = new ApiProblem(429, { code: 'rate_limited' })

test('sends a request again whose response was on its way when it was resumed', async () => {
  const responses: ((value: string) => void)[] = []
  const attempts: boolean[] = []
  const retries = new Retries()
  const sending = retries.send((_, isFirst) => {
    attempts.push(isFirst)
    return new Promise<string>((resolve) => responses.push(resolve))
  })
  responses[0]?.('old')
  retries.resume()
  await nextTurn()
  responses[1]?.('new')
  expect(await sending).toBe('new')
  expect(attempts).toEqual([true, false])
})

test.each([
  [lost, 4],
  [rejected, 1],
])('gives up %s after attempt %d', async (error, attempts) => {
  vi.useFakeTimers()
  const request = vi.fn(async () => Promise.reject(error))
  const sending = expect(new Retries().send(request)).rejects.toBe(error)
  await vi.advanceTimersByTimeAsync(60_000)
  await sending
  expect(request).toHaveBeenCalledTimes(attempts)
})

test.each([lost, rejected])('retries a read after %s until it is obsolete', async (error) => {
  vi.useFakeTimers()
  const request = vi.fn(async () => Promise.reject(error))
  const isObsolete = (): boolean => request.mock.calls.length === 9
  const options = { isEndless: true, isObsolete }
  const reading = expect(new Retries().send(request, options)).rejects.toBe(error)
  await vi.advanceTimersByTimeAsync(120_000)
  await reading
  expect(request).toHaveBeenCalledTimes(9)
})
