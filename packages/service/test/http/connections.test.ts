import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { type ConnectionBounds, serveConnections } from '../../src/http/connections.ts'
import { atEnd } from '../support/lifetime.ts'

async function serve(listener: RequestListener, bounds: Partial<ConnectionBounds> = {}) {
  const server = createServer({ keepAliveTimeout: 60_000 })
  serveConnections(server, listener, { max: 100, writeTimeout: 60_000, ...bounds })
  server.listen(0)
  atEnd(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

const request = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Opens a connection that has received the first bytes of a response. */
async function served(port: number, path?: string): Promise<Socket> {
  const socket = await openSocket(port)
  expect(await ask(socket, path)).toBe(true)
  return socket
}

/** Sends a request and waits for the first bytes of its response. */
async function ask(socket: Socket, path?: string): Promise<boolean> {
  socket.write(request(path))
  const answered = once(socket, 'data').then(() => true)
  return await Promise.race([answered, closed(socket).then(() => false)])
}

/** Unlike `once`, it takes no error for the end. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

/** Ends each response at once, except that of `/wait`. */
const waitOrEnd: RequestListener = ({ url }, response) => {
  if (url === '/wait') response.write('begin')
  else response.end('done')
}

const large = Buffer.alloc(50 * 2 ** 20, 'a')
const endLarge: RequestListener = (_request, response) => response.end(large)

test('closes a connection whose client reads no byte before the timeout', async () => {
  const { server, port } = await serve(endLarge, { writeTimeout: 2000 })
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = await openSocket(port)
  const [connection] = await accepted
  const begin = performance.now()
  // Node.js's own timer would look twice: 2 s. A busy host delays all timers of this process.
  const late = sleep(3400, 'late')
  socket.pause().write(request())
  expect(await Promise.race([late, closed(connection)])).toBeUndefined()
  expect(performance.now() - begin).toBeGreaterThan(900)
  socket.destroy()
})

test('keeps a connection whose client reads slowly', async () => {
  const { port } = await serve(endLarge, { writeTimeout: 3000 })
  const socket = await openSocket(port)
  let bytes = 0
  socket.pause().write(request())
  const until = performance.now() + 5000
  while (performance.now() < until) {
    bytes += (socket.read() as Buffer | null)?.length ?? 0
    await sleep(5)
  }
  expect([socket.closed, bytes > 0]).toEqual([false, true])
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await expect.poll(() => bytes).toBeGreaterThan(large.length)
  socket.destroy()
})

test.each(['/poll', '/stream'])('keeps a connection that waits for %s', async (path) => {
  const listener: RequestListener = async (_request, response) => {
    if (path === '/stream') response.write('begin')
    await sleep(1500)
    response.end('news')
  }
  const { port } = await serve(listener, { writeTimeout: 1000 })
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toContain('news')
})

test('serves one request of a connection at a time, and all in order', async () => {
  const begun: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const { port } = await serve(({ url }, response) => {
    begun.push(url)
    ends.push(() => response.end(`${url}\n`))
  })
  const socket = await openSocket(port)
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  const paths = Array.from({ length: 20 }, (_, at) => `/${at}`)
  socket.write(paths.map(request).join(''))
  for (const at of paths.keys()) {
    await expect.poll(() => begun).toEqual(paths.slice(0, at + 1))
    ends[at]?.()
  }
  await expect.poll(() => `${Buffer.concat(received)}`.match(/\/\d+$/gm)).toEqual(paths)
  socket.destroy()
})

test('closes a connection that sends thousands of requests and reads no response', async () => {
  let begun = 0
  const { port } = await serve(() => void begun++)
  const socket = await openSocket(port)
  socket.write(request().repeat(5000))
  await closed(socket)
  expect(begun).toBeLessThan(2)
})

test.each([
  ['half a body', 'POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1234'],
  ['half a head', 'POST /read HTTP/1.1\r\nHo'],
  ['a request whose response they do not read', request('/large')],
])('serves new clients when all connections sent %s', async (_, sent) => {
  const listener: RequestListener = (incoming, response) => {
    if (incoming.url === '/large') endLarge(incoming, response)
    else incoming.resume().once('end', () => response.end('done'))
  }
  const { port } = await serve(listener, { max: 4 })
  const abusers = await Promise.all(Array.from({ length: 4 }, () => openSocket(port)))
  for (const socket of abusers) socket.pause().write(sent)
  await sleep(200)
  const newcomer = await openSocket(port)
  newcomer.write('POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n')
  const answered = once(newcomer, 'data').then(String)
  newcomer.write('1')
  expect(await Promise.race([answered, closed(newcomer)])).toContain('done')
  for (const socket of [newcomer, ...abusers]) socket.destroy()
})

test('closes the connection that is idle for longest when all are in use', async () => {
  const { port } = await serve(waitOrEnd, { max: 4 })
  const waiting = await served(port, '/wait')
  const [first, second, third] = [await served(port), await served(port), await served(port)]
  // Now the second is idle for longest.
  expect(await ask(first)).toBe(true)
  const newcomer = await served(port)
  await closed(second)
  const silent = await openSocket(port)
  await closed(third)
  for (const socket of [waiting, first, newcomer, silent]) expect(socket.destroyed).toBe(false)
})

test('serves new clients while requests of another address take long', async () => {
  let begun = 0
  const { port } = await serve(({ url }, response) => {
    const takesLong = url !== '/new'
    if (takesLong) begun++
    // As a parser that works after the body has arrived.
    process.nextTick(() => {
      const before = process.cpuUsage()
      while (takesLong && process.cpuUsage(before).user < 10_000);
      response.end('done')
    })
  })
  const flood = await Promise.all(Array.from({ length: 64 }, () => openSocket(port)))
  for (const socket of flood) {
    atEnd(() => socket.destroy())
    socket.on('data', () => socket.write(request()))
    socket.write(request())
  }
  await expect.poll(() => begun, { timeout: 20_000 }).toBeGreaterThan(128)
  const before = begun
  const served = Array.from({ length: 30 }, async (_, at) => {
    const newcomer = await openSocket(port, { from: `127.0.0.${at + 2}` })
    atEnd(() => newcomer.destroy())
    return await ask(newcomer, '/new')
  })
  expect(await Promise.all(served)).not.toContain(false)
  expect(begun - before).toBeLessThan(served.length)
})
