import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { readInTurn } from '../../src/http/read-in-turn.ts'
import { atEnd } from '../support/lifetime.ts'

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  readInTurn(server, ({ remoteAddress = '' }) => remoteAddress)
  server.listen(0)
  atEnd(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('serves a client before all requests of another one (threat 72)', async () => {
  const served: string[] = []
  const port = await serve(({ url = '' }, response) => {
    served.push(url)
    workFor(2)
    response.end()
  })
  const crowd = await Promise.all(Array.from({ length: 100 }, () => openSocket(port)))
  const other = await openSocket(port, { from: '127.0.0.2' })
  for (const socket of crowd) socket.write(request('/crowd'))
  other.write(request('/other'))
  await expect.poll(() => served.length).toBe(101)
  expect(served.indexOf('/other')).toBeLessThan(20)
  for (const socket of [...crowd, other]) socket.destroy()
})

test('serves a new connection before all requests of a client', async () => {
  const served: string[] = []
  const port = await serve(({ url = '' }, response) => {
    served.push(url)
    workFor(1)
    response.end()
  })
  const crowd = await Promise.all(Array.from({ length: 10 }, () => openSocket(port)))
  for (const socket of crowd) socket.write(request('/crowd').repeat(1000))
  await expect.poll(() => served.length).toBeGreaterThan(100)
  const newcomer = await openSocket(port)
  newcomer.write(request('/newcomer'))
  await once(newcomer, 'data')
  expect(served.length).toBeLessThan(5000)
  for (const socket of [...crowd, newcomer]) socket.destroy()
})

test('receives large bodies of many clients unchanged', async () => {
  const port = await serve(async (incoming, response) => {
    response.end(hashOf(await buffer(incoming)))
  })
  const bodies = Array.from({ length: 50 }, () => randomBytes(300_000))
  const responses = bodies.map(async (body) => {
    const sent = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
    return await sent.text()
  })
  expect(await Promise.all(responses)).toEqual(bodies.map(hashOf))
})

test('receives all of a request whose client ends the connection', async () => {
  const lengths: number[] = []
  const port = await serve(async (incoming) => {
    lengths.push((await buffer(incoming)).length)
  })
  const socket = await openSocket(port)
  socket.end(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n${'x'.repeat(50_000)}`)
  await expect.poll(() => lengths).toEqual([50_000])
})

test('does not read a body that no handler reads', async () => {
  const arrived: IncomingMessage[] = []
  const port = await serve(async (incoming, response) => {
    arrived.push(incoming)
    await sleep(500)
    const { readableLength, readableHighWaterMark, socket } = incoming
    expect(readableLength).toBeLessThan(readableHighWaterMark + 4096)
    expect(socket.bytesRead).toBeLessThan(1_000_000)
    response.end(String((await buffer(incoming)).length))
  })
  const body = new Uint8Array(20_000_000)
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
  expect([await response.text(), arrived.length]).toEqual(['20000000', 1])
})

test('sends all responses in order to a client that reads later than it sends', async () => {
  const megabyte = 'x'.repeat(2 ** 20)
  const port = await serve(({ url = '' }, response) => response.end(`${url}!${megabyte}`))
  const socket = await openSocket(port)
  const paths = Array.from({ length: 60 }, (_, at) => `/${at}`)
  socket.pause().write(request('/first'))
  await sleep(300)
  const long = `X: ${'x'.repeat(200)}`
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${long}\r\n\r\n`)
  socket.write(requests.join(''))
  socket.write('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await sleep(300)
  const received = String(await buffer(socket))
  expect(received.match(/\/\w+(?=!)/g)).toEqual(['/first', ...paths, '/last'])
})

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
