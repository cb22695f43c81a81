import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { boundConnections, type ConnectionBounds } from '../../src/http/connections.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(
  listener: RequestListener,
  bounds: Partial<ConnectionBounds> = {},
): Promise<number> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  boundConnections(server, {
    ...{ max: 100, maxPerClient: 100, writeTimeout: 60_000, clientOf: () => undefined },
    ...bounds,
  })
  servers.push(server.listen(0))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

interface Client {
  readonly socket: Socket
  readonly closed: Promise<unknown>
}

async function open(port: number, localAddress = '127.0.0.1'): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // A server that closes while bytes are under way resets the connection.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, closed }
}

/** Sends a request and waits for the first bytes of its response. */
async function ask({ socket, closed }: Client, path = '/'): Promise<boolean> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const answered = once(socket, 'data').then(() => true)
  return await Promise.race([answered, closed.then(() => false)])
}

const large = Buffer.alloc(50 * 2 ** 20, 'a')

test('closes a connection whose client takes no byte of its response, once the time is up', async () => {
  const port = await serve((_request, response) => response.end(large), { writeTimeout: 2000 })
  const { socket, closed } = await open(port)
  const begin = performance.now()
  socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [server] = servers
  const connections = async (): Promise<number> =>
    await new Promise((resolve) => server?.getConnections((_, count) => resolve(count)))
  await expect.poll(connections, { timeout: 8000 }).toBe(0)
  const waited = performance.now() - begin
  expect(waited).toBeGreaterThan(1900)
  // Node.js's own timer would have looked twice: 4 s.
  expect(waited).toBeLessThan(3400)
  socket.destroy()
  await closed
})

test('keeps a connection whose client reads slowly', async () => {
  const port = await serve((_request, response) => response.end(large), { writeTimeout: 1000 })
  const { socket, closed } = await open(port)
  let bytes = 0
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const until = performance.now() + 3000
  while (performance.now() < until) {
    bytes += (socket.read() as Buffer | null)?.length ?? 0
    await sleep(5)
  }
  expect([isClosed, bytes > 0]).toEqual([false, true])
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await expect.poll(() => bytes).toBeGreaterThan(large.length)
  socket.destroy()
})

test('keeps a connection that waits for a response, and a stream without news', async () => {
  const port = await serve(
    async ({ url }, response) => {
      if (url === '/stream') response.write('begin')
      await sleep(1000)
      response.end('news')
    },
    { writeTimeout: 100 },
  )
  for (const path of ['/poll', '/stream']) {
    const client = await open(port)
    client.socket.setEncoding('utf8')
    let text = ''
    client.socket.on('data', (chunk) => {
      text += chunk
    })
    client.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    await client.closed
    expect(text).toContain('news')
  }
})

test('closes the longest idle connection when all are taken, and none that is in use', async () => {
  const port = await serve(
    async ({ url }, response) => {
      if (url === '/wait') {
        response.write('begin')
        await once(response, 'close')
      } else {
        response.end('done')
      }
    },
    { max: 4 },
  )
  const waiting = await open(port)
  expect(await ask(waiting, '/wait')).toBe(true)
  const idle: Client[] = []
  for (let at = 0; at < 3; at++) {
    const client = await open(port)
    expect(await ask(client)).toBe(true)
    idle.push(client)
  }
  // The first one is used again: now the second is idle for longest.
  const [first, second, third] = idle as [Client, Client, Client]
  expect(await ask(first)).toBe(true)
  const newcomer = await open(port)
  expect(await ask(newcomer)).toBe(true)
  await second.closed
  const silent = await open(port)
  await third.closed
  expect([waiting, first, newcomer, silent].map(({ socket }) => socket.destroyed)).toEqual(
    Array(4).fill(false),
  )
})

test('closes idle connections of a client that has too many', async () => {
  const port = await serve(
    async ({ url }, response) => {
      if (url === '/wait') response.write('begin')
      else response.end('done')
    },
    { maxPerClient: 3, clientOf: ({ remoteAddress }) => remoteAddress },
  )
  const other = await open(port, '127.0.0.2')
  expect(await ask(other)).toBe(true)
  const own: Client[] = []
  for (let at = 0; at < 4; at++) {
    const client = await open(port)
    expect(await ask(client)).toBe(true)
    own.push(client)
  }
  await own[0]?.closed
  for (const client of own.slice(1)) expect(await ask(client, '/wait')).toBe(true)
  const tooMany = await open(port)
  await tooMany.closed
  const left = [...own.slice(1), other].map(({ socket }) => socket.destroyed)
  expect(left).toEqual(Array(4).fill(false))
  expect(await ask(other)).toBe(true)
})
