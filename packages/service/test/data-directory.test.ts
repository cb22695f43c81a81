import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
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

test('syncs new secret keys and their folder before it creates a database', async () => {
  const directory = join(temporaryFolder(), 'data')
  const stored = join(directory, 'secret-keys')
  // The database is rejected: what happens before it is all that happens.
  mkdirSync(join(directory, 'database'), { recursive: true })
  writeFileSync(join(directory, 'database', 'PG_VERSION'), '9')
  const probe = await openFile(directory)
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as typeof probe, 'sync')
  const seen: boolean[] = []
  sync.mockImplementation(async () => {
    seen.push(existsSync(stored))
  })
  await expect(open(directory)).rejects.toThrow()
  sync.mockRestore()
  await probe.close()
  // The file under its first name, then the folder with its last one.
  expect(seen).toEqual([false, true])
})
