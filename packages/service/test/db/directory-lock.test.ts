import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test, vi } from 'vitest'
import { DirectoryInUse, lockDirectory } from '../../src/db/embedded/directory-lock.ts'
import { openStore } from '../../src/start/open-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'pi-read-only-'))
const otherUser = 65534
const isRoot = process.getuid?.() === 0
// Root writes into any folder, but not on a disk that is mounted read-only.
const mounted = isRoot && mount([]) && mount(['remount,ro'])

function mount(more: readonly string[]): boolean {
  const options = ['size=1m', ...more].join(',')
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

afterAll(() => {
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
})

const open = async (directory: string) =>
  await openStore({ store: { kind: 'directory', directory }, secretKeys: undefined })

test.skipIf(!mounted)(
  'a data directory on a read-only disk is refused with its name, the rule and the fix',
  async () => {
    for (const directory of [folder, join(folder, 'data')]) {
      await expect(open(directory)).rejects.toThrow(
        `The data directory ${directory} cannot be used: its file system is mounted read-only. ` +
          'Mount it for writing, or use another one with --data or PI_DATA_DIR.',
      )
    }
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a data directory that this user may not write is refused, and nothing is made in it', async () => {
  const foreign = mkdtempSync(join(tmpdir(), 'pi-foreign-'))
  chmodSync(foreign, 0o555)
  // File permissions do not apply to root, so it becomes another user.
  if (isRoot) process.seteuid?.(otherUser)
  try {
    for (const directory of [foreign, join(foreign, 'data')]) {
      await expect(open(directory)).rejects.toThrow(
        `The data directory ${directory} cannot be used: it is not writable for the user who ` +
          'runs pi-service. Run chown, or use another one with --data or PI_DATA_DIR.',
      )
    }
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  expect(readdirSync(foreign)).toEqual([])
  rmSync(foreign, { recursive: true })
})

test('a file in the place of the data directory is named', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-file-'))
  const file = join(place, 'data')
  writeFileSync(file, '')
  await expect(open(file)).rejects.toThrow(`The data directory ${file} cannot be used: `)
  rmSync(place, { recursive: true })
})

test('of twenty that want one directory at once one gets it, and the others hear who', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-lock-'))
  const starts = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(place)))
  const held = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  expect(held).toHaveLength(1)
  for (const start of starts) {
    if (start.status === 'rejected') expect(start.reason).toBeInstanceOf(DirectoryInUse)
  }
  const owner = `in use by process ${process.pid} on ${hostname()}. Stop that service`
  await expect(lockDirectory(place)).rejects.toThrow(owner)
  await held[0]?.release()
  await (await lockDirectory(place)).release()
  expect(readdirSync(place)).toEqual([])
  rmSync(place, { recursive: true })
})

test('ignores what a killed process leaves, even if its pid is in use again', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-stale-'))
  const dead = createServer().listen(join(place, 'before'))
  await once(dead, 'listening')
  renameSync(join(place, 'before'), join(place, 'lock-stale'))
  dead.close()
  await once(dead, 'close')
  const lock = await lockDirectory(place)
  expect(readdirSync(place)).not.toContain('lock-stale')
  await lock.release()
  rmSync(place, { recursive: true })
})

test('names a lock socket only once it listens, so that it never looks stale', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-claim-'))
  const probe = createServer().listen(join(place, 'probe'))
  const { _handle } = probe as unknown as { readonly _handle: { listen(backlog: number): number } }
  await promisify(probe.close.bind(probe))()
  const handle = Object.getPrototypeOf(_handle) as typeof _handle
  const { listen } = handle
  const seen: string[][] = []
  const spy = vi.spyOn(handle, 'listen').mockImplementation(function (this: object, backlog) {
    seen.push(readdirSync(place))
    return listen.call(this, backlog)
  })
  const lock = await lockDirectory(place)
  spy.mockRestore()
  expect(seen).toEqual([[expect.not.stringMatching(/^lock-/)]])
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^lock-/)])
  await lock.release()
  expect(readdirSync(place)).toEqual([])
  rmSync(place, { recursive: true })
})

test('ignores a process that exits while it is probed', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-going-'))
  const going = createServer((socket) => {
    going.close()
    socket.destroy()
  }).listen(join(place, 'before'))
  await once(going, 'listening')
  renameSync(join(place, 'before'), join(place, 'lock-going'))
  const lock = await lockDirectory(place)
  await lock.release()
  expect(readdirSync(place)).toEqual([])
  rmSync(place, { recursive: true })
})

test('keeps and ignores a file of a user with such a name', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-notes-'))
  writeFileSync(join(place, 'lock-notes'), 'mine')
  const lock = await lockDirectory(place)
  await lock.release()
  expect(readdirSync(place)).toEqual(['lock-notes'])
  rmSync(place, { recursive: true })
})

test('is not delayed by a suspended command that probes the lock', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-stopped-'))
  const lock = await lockDirectory(place)
  const [claim = ''] = readdirSync(place)
  // It reads the reply, and then neither ends nor closes.
  const stopped = connect({ path: join(place, claim), allowHalfOpen: true })
  const [owner] = await once(stopped, 'data')
  expect(JSON.parse(String(owner))).toMatchObject({ pid: process.pid, held: true })
  await lock.release()
  stopped.destroy()
  rmSync(place, { recursive: true })
}, 2000)

test('rejects a directory without sockets, with the reason and the fix', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-no-socket-'))
  chmodSync(place, 0o555)
  if (isRoot) process.seteuid?.(otherUser)
  try {
    await expect(lockDirectory(place)).rejects.toThrow(
      new TypeError(
        `The data directory ${place} cannot be used: its file system does not support sockets ` +
          '(EACCES). Use one on a local disk with --data or PI_DATA_DIR, or PostgreSQL with --database-url.',
      ),
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  rmSync(place, { recursive: true })
})

const otherContainer = ['--net', process.execPath, '--import', 'tsx', '--conditions=source']
const hasNamespaces = spawnSync('unshare', ['--net', 'true']).status === 0

test.skipIf(!hasNamespaces)(
  'a second container on the same volume is refused, though it shares no network with the first',
  async () => {
    const place = mkdtempSync(join(tmpdir(), 'pi-volume-'))
    const lock = await lockDirectory(place)
    const module = fileURLToPath(
      new URL('../../src/db/embedded/directory-lock.ts', import.meta.url),
    )
    const script = `import(${JSON.stringify(module)}).then((lock) => lock.lockDirectory(${JSON.stringify(place)}))`
    const second = await new Promise<string>((resolve) => {
      const child = spawn('unshare', [...otherContainer, '--eval', script])
      void text(child.stderr).then(resolve)
    })
    expect(second).toContain(`in use by process ${process.pid}`)
    await lock.release()
    rmSync(place, { recursive: true })
  },
)

test('the secret keys of a new directory are on the disk, whole and in their folder, before its database', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pi-new-'))
  const kept = join(place, 'data', 'secret-keys')
  const probe = await openFile(place)
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as typeof probe, 'sync')
  const seen: boolean[] = []
  sync.mockImplementation(async () => {
    seen.push(existsSync(kept))
  })
  // No database of ours: it is refused, and what came before it is all there is.
  mkdirSync(join(place, 'data', 'database'), { recursive: true })
  writeFileSync(join(place, 'data', 'database', 'PG_VERSION'), '9')
  await expect(open(join(place, 'data'))).rejects.toThrow()
  sync.mockRestore()
  await probe.close()
  // The file under its first name, then the folder with its last one.
  expect(seen).toEqual([false, true])
  rmSync(place, { recursive: true })
})
