import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openPglite } from '../src/db/embedded/pglite.ts'
import { checkStart } from '../src/start/check-start.ts'
import { openStore } from '../src/start/open-store.ts'
import { asOtherUser, isRoot, readOnlyFolder } from './support/folders.ts'
import { atEnd, temporaryFolder } from './support/lifetime.ts'

const open = async (directory: string) =>
  await openStore({ store: { kind: 'directory', directory }, secretKeys: undefined })

const unusable = (directory: string, reason: string): string =>
  `The data directory ${directory} cannot be used: ${reason}, or use another one with --data or PI_DATA_DIR.`

// Root writes into any folder, but not on a disk that is mounted read-only.
const mount = isRoot ? temporaryFolder() : ''
const options = (more: string) => ['-t', 'tmpfs', '-o', `size=1m${more}`, 'tmpfs', mount]
const isMounted =
  isRoot && ['', ',remount,ro'].every((more) => spawnSync('mount', options(more)).status === 0)
if (isMounted) atEnd(() => spawnSync('umount', [mount]))

test.skipIf(!isMounted)('rejects a directory on a read-only disk, with the fix', async () => {
  for (const directory of [mount, join(mount, 'data')]) {
    const reason = 'its file system is mounted read-only. Mount it for writing'
    await expect(open(directory)).rejects.toThrow(unusable(directory, reason))
  }
  expect(readdirSync(mount)).toEqual([])
})

test('rejects a directory that this user cannot write, and creates nothing', async () => {
  const folder = readOnlyFolder()
  await asOtherUser(async () => {
    for (const directory of [folder, join(folder, 'data')]) {
      const reason = 'it is not writable for the user who runs pi-service. Run chown'
      await expect(open(directory)).rejects.toThrow(unusable(directory, reason))
    }
  })
  expect(readdirSync(folder)).toEqual([])
})

test('names a file in the place of the directory', async () => {
  const file = join(temporaryFolder(), 'data')
  writeFileSync(file, '')
  await expect(open(file)).rejects.toThrow(unusable(file, 'it is a file. Remove the file'))
})

test('rejects a directory that lost a part of its store, and leaves it as it is', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  const database = join(directory, 'database')
  const kept = async (reason: string): Promise<void> => {
    const before = readdirSync(directory, { recursive: true }).sort()
    const message = `The data directory ${directory} cannot be used: ${reason}`
    await expect(open(directory)).rejects.toThrow(message)
    const { problems } = await checkStart({ data: directory }, {})
    expect(problems).toEqual([expect.stringContaining(reason)])
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(before)
  }
  rmSync(join(database, 'PG_VERSION'))
  await kept('database/PG_VERSION is missing next to other files of a store. Restore')
  rmSync(database, { recursive: true })
  mkdirSync(database)
  await kept('database/ is empty, but secret-keys belongs to an earlier store. Restore')
})

test('starts again after a first start that was interrupted before its keys', async () => {
  const directory = temporaryFolder()
  await (await openPglite(join(directory, 'database'))).close()
  await (await open(directory)).close()
})

test('rejects a store that lost its secret keys, and starts once they are restored', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  const stored = join(directory, 'secret-keys')
  renameSync(stored, `${stored}.backup`)
  await expect(open(directory)).rejects.toThrow('key k1 differs from the key')
  expect(existsSync(stored)).toBe(false)
  renameSync(`${stored}.backup`, stored)
  await (await open(directory)).close()
})

test('keeps a directory and its files for their owner, also if they were not', async () => {
  const directory = temporaryFolder()
  const opened = async (): Promise<void> => {
    const { db, close } = await open(directory)
    await db.query`create table if not exists kept (id text)`
    await db.query`insert into kept values ('1')`
    await close()
    for (const name of ['.', ...readdirSync(directory, { recursive: true })]) {
      const { mode } = statSync(join(directory, String(name)))
      expect(mode & 0o077, `${name}: ${mode.toString(8)}`).toBe(0)
    }
  }
  await opened()
  chmodSync(directory, 0o755)
  chmodSync(join(directory, 'database'), 0o755)
  chmodSync(join(directory, 'secret-keys'), 0o644)
  await opened()
})

test('syncs new secret keys and their folder before it stores a row', async () => {
  const directory = temporaryFolder()
  const stored = join(directory, 'secret-keys')
  await (await openPglite(join(directory, 'database'))).close()
  const probe = await openFile(directory)
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as typeof probe, 'sync')
  const seen: boolean[] = []
  sync.mockImplementation(async () => {
    seen.push(existsSync(stored))
  })
  const store = await open(directory)
  sync.mockRestore()
  await store.close()
  await probe.close()
  // The file under its first name, then the folder with its last one.
  expect(seen).toEqual([false, true])
})
