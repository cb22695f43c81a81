import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runProgram } from '@pi-checkout/test-support/process'
import { beforeEach, expect, test, vi } from 'vitest'
import { DirectoryInUse, lockDirectory } from '../../src/db/embedded/directory-lock.ts'
import { asOtherUser, readOnlyFolder } from '../support/folders.ts'
import { temporaryFolder } from '../support/lifetime.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

/** Lets a server listen on a socket with the name of a lock. */
async function listenAs(name: string, server: Server): Promise<Server> {
  server.listen(join(folder, 'before'))
  await once(server, 'listening')
  renameSync(join(folder, 'before'), join(folder, name))
  return server
}

async function lockAndRelease(): Promise<void> {
  await (await lockDirectory(folder)).release()
}

test('gives a directory to one of twenty processes and names it to the others', async () => {
  const starts = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(folder)))
  const locks = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  expect(locks).toHaveLength(1)
  for (const start of starts) {
    if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(DirectoryInUse)
  }
  const owner = `in use by process ${process.pid} on ${hostname()}. Stop that service`
  await expect(lockDirectory(folder)).rejects.toThrow(owner)
  await locks[0]?.release()
  await lockAndRelease()
  expect(readdirSync(folder)).toEqual([])
})

test('ignores the socket of a killed process, even if its pid is in use again', async () => {
  const dead = await listenAs('lock-stale', createServer())
  dead.close()
  await once(dead, 'close')
  const lock = await lockDirectory(folder)
  expect(readdirSync(folder)).not.toContain('lock-stale')
  await lock.release()
})

test('names a lock socket only once it listens, so that it never looks stale', async () => {
  const probe = createServer().listen(join(folder, 'probe'))
  const { _handle } = probe as unknown as { readonly _handle: { listen(backlog: number): number } }
  await promisify(probe.close.bind(probe))()
  const handle = Object.getPrototypeOf(_handle) as typeof _handle
  const { listen } = handle
  const seen: string[][] = []
  const spy = vi.spyOn(handle, 'listen').mockImplementation(function (this: object, backlog) {
    seen.push(readdirSync(folder))
    return listen.call(this, backlog)
  })
  const lock = await lockDirectory(folder)
  spy.mockRestore()
  expect(seen).toEqual([[expect.not.stringMatching(/^lock-/)]])
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^lock-/)])
  await lock.release()
  expect(readdirSync(folder)).toEqual([])
})

test('ignores a process that exits while it is probed', async () => {
  const going = createServer((socket) => {
    going.close()
    socket.destroy()
  })
  await listenAs('lock-going', going)
  await lockAndRelease()
  expect(readdirSync(folder)).toEqual([])
})

test('keeps and ignores a user’s file with the name of a lock', async () => {
  writeFileSync(join(folder, 'lock-notes'), 'mine')
  await lockAndRelease()
  expect(readdirSync(folder)).toEqual(['lock-notes'])
})

test('is not delayed by a suspended command that probes the lock', async () => {
  const lock = await lockDirectory(folder)
  const [name = ''] = readdirSync(folder)
  // It reads the reply, and then neither ends nor closes.
  const suspended = connect({ path: join(folder, name), allowHalfOpen: true })
  const [owner] = await once(suspended, 'data')
  expect(JSON.parse(String(owner))).toMatchObject({ pid: process.pid, held: true })
  await lock.release()
  suspended.destroy()
}, 2000)

test('rejects a directory without sockets, with the reason and the fix', async () => {
  folder = readOnlyFolder()
  await asOtherUser(async () => {
    await expect(lockDirectory(folder)).rejects.toThrow(
      new TypeError(
        `The data directory ${folder} cannot be used: its file system does not support sockets ` +
          '(EACCES). Use one on a local disk with --data or PI_DATA_DIR, or PostgreSQL with --database-url.',
      ),
    )
  })
})

const hasNamespaces = spawnSync('unshare', ['--net', 'true']).status === 0

test.skipIf(!hasNamespaces)(
  'rejects another container with the same volume and another network',
  async () => {
    const lock = await lockDirectory(folder)
    const module = fileURLToPath(
      new URL('../../src/db/embedded/directory-lock.ts', import.meta.url),
    )
    const script = `import(${JSON.stringify(module)}).then((lock) => lock.lockDirectory(${JSON.stringify(folder)}))`
    const node = ['--net', process.execPath, '--import', 'tsx', '--conditions=source']
    const { errors } = await runProgram([...node, '--eval', script], { command: 'unshare' })
    expect(errors).toContain(`in use by process ${process.pid}`)
    await lock.release()
  },
)
