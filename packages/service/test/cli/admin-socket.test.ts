import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sampleKey } from '@pi-checkout/test-support/api-key'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { AdminError, type AdminResult } from '../../src/cli/admin-commands.ts'
import { sendAdminCommand, serveAdminSocket } from '../../src/cli/admin-socket.ts'
import { StoreError } from '../../src/db/errors.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'

const directory = temporaryFolder()
const command = { command: 'keys list' } as const
const logged: string[] = []
let run: () => Promise<AdminResult>

beforeEach(() => {
  logged.length = 0
})

async function serve(timeLimit = 5000): Promise<() => Promise<void>> {
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
  return atEnd(await serveAdminSocket(directory, { log, timeLimit, run: async () => await run() }))
}

async function client(): Promise<Socket> {
  const socket = connect(join(directory, 'admin.sock'))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function post(body: string): Promise<string> {
  const sent = request({ socketPath: join(directory, 'admin.sock'), method: 'POST' })
  sent.on('error', () => {}).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return await text(response)
}

/** Unlike `once`, it takes no error for the end. */
async function closed(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once('close', resolve).resume())
}

test('logs a failed command in one line', async () => {
  run = async () => {
    throw new StoreError('42P01', { reason: `no table ${sampleKey('a1B2')}` })
  }
  await serve()
  const failed = await sendAdminCommand(directory, command).catch((error: Error) => error)
  expect(logged).toHaveLength(1)
  const line = JSON.parse(logged[0] ?? '')
  expect(line).toMatchObject({
    level: 50,
    msg: 'The command keys list failed',
    requestId: expect.stringMatching(/^req_\w{20}$/),
    error: { message: 'The store rejected a statement: 42P01 (no table pi_sk_test_…)' },
  })
  expect(failed).toBeInstanceOf(AdminError)
  expect((failed as Error).message).toContain(line.requestId)
})

test('logs the reason of a rejected command as a warning', async () => {
  run = async () => {
    throw new AdminError('No key has the id key_x')
  }
  await serve()
  await expect(sendAdminCommand(directory, command)).rejects.toThrow('No key has the id key_x')
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, error: { name: 'AdminError', message: 'No key has the id key_x' } },
  ])
})

test.each(['{"command": hidden-value', '{"command":"hidden-value"}', ''])(
  'logs an unreadable command without its text: %s',
  async (sent) => {
    await serve()
    expect(await post(sent)).toContain('could not run the command')
    expect(logged).toEqual([expect.stringContaining('The command unknown failed')])
    expect(logged.join()).not.toContain('hidden-value')
  },
)

test('disconnects a client that is silent or slow, and rejects one that sends too much', async () => {
  await serve(300)
  const [silent, slow] = [await client(), await client()]
  slow.write('POST / HTTP/1.1\r\nX: ')
  const drip = setInterval(() => slow.write('x'), 50)
  expect(await post(' '.repeat(100_000))).toContain('must be at most 65536 bytes')
  await Promise.all([silent, slow].map(closed))
  clearInterval(drip)
  const result = { data: { keys: [] }, text: '' }
  run = async () => result
  expect(await sendAdminCommand(directory, command)).toEqual(result)
})

test('stops without waiting for a silent client, a reader, or a hanging command', async () => {
  const stop = await serve(60_000)
  const silent = await client()
  let rejected: Promise<void> | undefined
  await new Promise<void>((resolve) => {
    run = () => {
      resolve()
      return new Promise(() => {})
    }
    const hanging = sendAdminCommand(directory, command)
    rejected = expect(hanging).rejects.toThrow('The service stopped before it responded')
  })
  const begin = performance.now()
  await Promise.all([stop(), closed(silent), rejected])
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(await sendAdminCommand(directory, command)).toBeUndefined()
})
