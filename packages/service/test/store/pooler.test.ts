import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'

const server = await startPostgres()

/**
 * Starts a pooler in transaction mode: the next request of any client runs in the next session of the server, except
 * inside a transaction. It serves clients that send one request after another.
 */
async function startPooler(sessionCount: number): Promise<string> {
  const sessions = Array.from({ length: sessionCount }, createSession)
  let next = 0
  const pooler = createServer((client) => {
    let own: Session | undefined
    let isKnown = false
    client
      .on('error', () => {})
      .on('data', async (message: Buffer) => {
        if (!isKnown) {
          isKnown = true
          for (const session of sessions) await session.greeting(message)
          client.write(await (sessions[0] as Session).greeting(message))
        } else if (message.toString('latin1', 0, 1) !== 'X') {
          const session = own ?? (sessions[next++ % sessionCount] as Session)
          const reply = await session.send(message)
          own = reply.at(-1) === idle ? undefined : session
          client.write(reply)
        }
      })
  }).listen(0, '127.0.0.1')
  atEnd(() => pooler.close())
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  return server.url.replace(new URL(server.url).port, `${port}`)
}

/** Each reply ends with this message, which ends with the state of the transaction. */
const readyForQuery = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5])
const idle = 'I'.charCodeAt(0)

type Session = ReturnType<typeof createSession>

/** `greeting` sends the startup message of the first client. It returns the reply, also to later ones. */
function createSession() {
  const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  atEnd(() => void socket.destroy())
  let greeting: Promise<Buffer> | undefined
  const send = async (message: Buffer): Promise<Buffer> => {
    socket.write(message)
    let reply = Buffer.alloc(0)
    while (!reply.subarray(-6).subarray(0, 5).equals(readyForQuery)) {
      const [part] = (await once(socket, 'data')) as [Buffer]
      reply = Buffer.concat([reply, part])
    }
    return reply
  }
  return { greeting: (startup: Buffer) => (greeting ??= send(startup)), send }
}

test.each([1, 2])('rejects a pooler that shares %d sessions, at each start', async (count) => {
  const url = await startPooler(count)
  for (let start = 0; start < 2; start++) {
    await expect(openPostgres(url)).rejects.toThrow(
      /^PI_DATABASE_URL: the pooler gives a connection no separate session, .*\. Use pool_mode = session, or connect without a pooler\.$/,
    )
  }
})
