import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startService } from '@pi-checkout/test-support/stack'
import { expect, test } from 'vitest'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { created, order } from '../support/service.ts'
import { residentMegabytes, watchHealth } from '../support/watch-program.ts'

/** Of one client. A proxy in front forwards no request before the last one has its response. */
const connections = 20
const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked', '', '']

test.each([
  ['thousands of requests', (head: string) => `GET /checkout/unknown ${head}`.repeat(4000)],
  ['the shortest requests', () => 'GET / HTTP/1.1\r\n\r\n'.repeat(20_000)],
  [
    'bodies in chunks of one byte',
    (head: string) =>
      `POST /checkout-api/session ${head.trim()}\r\n${chunked.join('\r\n')}${'1\r\nx\r\n'.repeat(60_000)}`,
  ],
])(
  'serves others while 20 connections of one client send %s',
  async (_, flood) => {
    const program = await startService(['--data', temporaryFolder()])
    // A process that stands still does not handle SIGTERM.
    atEnd(() => program.stop('SIGKILL'))
    const { baseUrl: url, apiKey } = program.ready
    const { host, port } = new URL(url)
    await created({ url, apiKey }, order)
    const before = residentMegabytes(program)

    const done = new AbortController()
    const watching = [
      watchHealth(program, done.signal, { from: '127.0.0.2' }),
      watchHealth(program, done.signal, { from: '127.0.0.1', limit: 1000 }),
    ]
    const bytes = flood(`HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    const attacker = new Worker(attack, { eval: true, workerData: { port, connections, bytes } })
    atEnd(async () => void (await attacker.terminate()))
    const ended = once(attacker, 'message').finally(() => done.abort())
    await sleep(500)
    await created({ url, apiKey }, order)
    await Promise.all([ended, ...watching])
    expect(residentMegabytes(program) - before, 'megabytes more').toBeLessThan(150)
    expect(await Promise.race([program.stop(), sleep(10_000, 'runs after 10 s')])).toBe(0)
  },
  120_000,
)

/** Sends the bytes on each connection and reads nothing but the end. Posts a message when all have ended. */
const attack = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, connections, bytes } } = require('node:worker_threads')
const data = Buffer.from(bytes)
let left = connections
for (let at = 0; at < connections; at++) {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('close', () => { if (--left === 0) parentPort.postMessage('ended') })
  socket.resume().write(data)
}
`
