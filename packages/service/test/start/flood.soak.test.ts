import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { startProcess } from '../support/service.ts'

type Program = Awaited<ReturnType<typeof startProcess>>

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
    // The service ends when it needs more than 192 MB.
    const env = { NODE_OPTIONS: '--max-old-space-size=192' }
    const program = await startProcess(['--data', temporaryFolder()], env)
    // A process that stands still does not handle SIGTERM.
    atEnd(() => program.stop('SIGKILL'))
    const { host, port } = new URL(program.url)
    await program.created()
    // Without fair turns, it is the work of more than 20,000 requests.
    const limit = 6000 * (await usualWork(program))

    const done = new AbortController()
    const watching = ['127.0.0.2', '127.0.0.1'].map((from) =>
      watchHealth(program, done.signal, from, limit),
    )
    const bytes = flood(`HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    const attacker = new Worker(attack, { eval: true, workerData: { port, connections, bytes } })
    atEnd(async () => void (await attacker.terminate()))
    const ended = once(attacker, 'message').finally(() => done.abort())
    await sleep(500)
    await program.created()
    await Promise.all([ended, ...watching])
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

/** Returns how many milliseconds the service works for a request without a flood. It depends on the machine. */
async function usualWork(program: Program): Promise<number> {
  const works: number[] = []
  while (works.length < 300) works.push((await pollHealth(program, '127.0.0.2')).work)
  return works.slice(100).reduce((sum, work) => sum + work) / 200
}

/** Fails if the service works for others too long before it responds. */
async function watchHealth(program: Program, signal: AbortSignal, from: string, limit: number) {
  for (; !signal.aborted; await sleep(100)) {
    const { work, response } = await pollHealth(program, from)
    if (!response.includes('"ok"')) throw new Error(`/healthz: ${response}`)
    if (work > limit) throw new Error(`${work} ms of work before /healthz; the limit is ${limit}.`)
  }
}

/** Returns a response, and for how many milliseconds the service's main thread ran until then. */
async function pollHealth({ ready, child }: Program, from: string) {
  const before = runTime(child.pid)
  const { port, host } = new URL(ready.baseUrl)
  const request = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  // Much longer than the limit: a busy machine lets the service wait for a processor.
  const response = await rawRequest(port, request, { from, timeoutMs: 30_000 }).catch(String)
  return { response, work: runTime(child.pid) - before }
}

/** Milliseconds in which the main thread of a process has run. */
function runTime(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
