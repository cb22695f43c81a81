import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AdminError, type AdminResult } from '../../src/cli/admin-commands.ts'
import { sendAdminCommand, serveAdminSocket } from '../../src/cli/admin-socket.ts'
import { StoreError } from '../../src/db/errors.ts'

const apiKey = `pi_sk_test_${'a1B2'.repeat(9)}`
let directory: string
let run: () => Promise<AdminResult>
const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pi-admin-'))
})
afterAll(async () => await rm(directory, { recursive: true }))
beforeEach(() => {
  lines.length = 0
})

const serve = async (timeLimit?: number): Promise<() => Promise<void>> =>
  await serveAdminSocket(directory, {
    log,
    run: async () => await run(),
    ...(timeLimit && { timeLimit }),
  })

async function client(): Promise<Socket> {
  const socket = connect(join(directory, 'admin.sock'))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Unlike `once`, it takes no error for the end. */
async function closed(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once('close', resolve).resume())
}

const command = { command: 'keys list' } as const

test('a command that fails leaves one line with message, code, rule and stack', async () => {
  run = async () => {
    throw new StoreError('42P01', { statement: 's1', reason: `no table ${apiKey}` })
  }
  const stop = await serve()
  const failed = await sendAdminCommand(directory, command).catch((error: Error) => error)
  await stop()
  expect(lines).toHaveLength(1)
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toMatchObject({
    level: 50,
    msg: 'The command keys list failed',
    requestId: expect.stringMatching(/^req_\w{20}$/),
    error: {
      name: 'StoreError',
      code: '42P01',
      statement: 's1',
      message: 'The store rejected a statement: 42P01 (no table pi_sk_test_…)',
      stack: expect.arrayContaining([expect.stringContaining('admin-socket.test.ts')]),
    },
  })
  expect(failed).toBeInstanceOf(AdminError)
  expect((failed as Error).message).toContain(line.requestId)
})

test('a command that is rejected leaves one warning with the reason', async () => {
  run = async () => {
    throw new AdminError('No key has the id key_x')
  }
  const stop = await serve()
  await expect(sendAdminCommand(directory, command)).rejects.toThrow('No key has the id key_x')
  await stop()
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      error: expect.objectContaining({ name: 'AdminError', message: 'No key has the id key_x' }),
    }),
  ])
})

test('a command that cannot be read leaves one line, without what was sent', async () => {
  const stop = await serve()
  for (const sent of ['{"command": hidden-value', '{"command":"hidden-value"}', '']) {
    const socket = await client()
    socket.end(sent)
    expect(await text(socket)).toContain('could not run the command')
  }
  await stop()
  expect(lines).toHaveLength(3)
  expect(lines.join('')).not.toContain('hidden-value')
  expect(lines.join('')).toContain('The command unknown failed')
})

test('a client that is silent, slow or too long loses its connection', async () => {
  const stop = await serve(300)
  const silent = await client()
  const slow = await client()
  const drip = setInterval(() => slow.write(' '), 50)
  const long = await client()
  long.write(' '.repeat(100_000))
  await Promise.all([silent, slow, long].map(closed))
  clearInterval(drip)
  run = async () => ({ keys: [] })
  expect(await sendAdminCommand(directory, command)).toEqual({ keys: [] })
  await stop()
})

test('a stop waits for no silent client, for no reader and for no command that hangs', async () => {
  const stop = await serve(60_000)
  const silent = await client()
  let refused: Promise<void> | undefined
  await new Promise<void>((resolve) => {
    run = () => {
      resolve()
      return new Promise(() => {})
    }
    const hanging = sendAdminCommand(directory, command)
    refused = expect(hanging).rejects.toThrow('The service stopped before it responded')
  })
  const begin = performance.now()
  await Promise.all([stop(), closed(silent), refused])
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(await sendAdminCommand(directory, command)).toBeUndefined()
})
