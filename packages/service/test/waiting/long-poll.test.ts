import { expect, test } from 'vitest'
import { longPoll } from '../../src/waiting/waits.ts'
import { serveRoutes } from '../support/lifetime.ts'

/** Requests a long poll whose wait is `wait`. */
async function poll(wait: Parameters<typeof longPoll>[1]): Promise<Response> {
  const origin = await serveRoutes((app) => {
    app.get('/', async (_request, reply) => await longPoll(reply, wait))
  })
  return await fetch(origin)
}

test('begins the response with the first pulse, and sends a space for each', async () => {
  let end = (): void => {}
  const response = await poll(async (onPulse) => {
    onPulse()
    await new Promise<void>((resolve) => {
      end = resolve
    })
    onPulse()
    return { version: 2 }
  })
  const type = response.headers.get('content-type')
  expect([response.status, type]).toEqual([200, 'application/json; charset=utf-8'])
  end()
  expect(await response.text()).toBe('  {"version":2}')
})

test('closes the connection if the wait fails after a pulse', async () => {
  const response = await poll(async (onPulse) => {
    onPulse()
    await new Promise(setImmediate)
    throw new Error('the session ended')
  })
  await expect(response.text()).rejects.toThrow()
})
