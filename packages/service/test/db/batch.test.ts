import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { expect, test } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { Overloaded } from '../../src/db/errors.ts'
import { Call } from '../../src/http/call.ts'
import { sendProblem } from '../../src/http/problem.ts'

test('four thousand and ninety-six requests wait for the store; one more is turned away at once, and those go on', async () => {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const work = batch<number, number>({
    run: async (items) => {
      await released
      return items
    },
    separable: () => false,
    kind: 'postgres',
  })
  const running = 1 + 24 + 24
  const first = Array.from({ length: running }, (_, item) => work(item))
  // What is on its way does not wait any more.
  await new Promise((resolve) => setImmediate(resolve))
  const waiting = Array.from({ length: 4096 }, (_, item) => work(item))
  await expect(work(0)).rejects.toBeInstanceOf(Overloaded)
  release()
  expect(await Promise.all([...first, ...waiting])).toHaveLength(running + 4096)
  expect(await work(7)).toBe(7)
})

test('rejects with Retry-After when too many requests wait', async () => {
  const server = createServer((request, response) =>
    sendProblem(new Call(request, response), {
      error: new Overloaded(),
      log: pino({ enabled: false }),
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(await answer.json()).toMatchObject({
    code: 'store_unavailable',
    retryable: true,
    detail: expect.stringContaining('This request was not run'),
  })
  server.close()
  server.closeAllConnections()
})
