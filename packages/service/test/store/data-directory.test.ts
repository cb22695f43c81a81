import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newSecretKey } from '../../src/secret-keys.ts'
import { checkStart } from '../../src/start/check-start.ts'
import { openServedStore, openStore } from '../../src/start/open-store.ts'
import { sql } from '../../src/store/sql.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { asOtherUser, isRoot, readOnlyFolder } from '../support/folders.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'

const open = async (directory: string) =>
  await openStore({ store: { kind: 'directory', directory }, secretKey: undefined })

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

test('rejects a directory that lost its database, and leaves it as it is', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  rmSync(join(directory, 'store.db'))
  const reason = 'store.db is missing, but secret-key belongs to an earlier store. Restore'
  await expect(open(directory)).rejects.toThrow(
    `The data directory ${directory} cannot be used: ${reason}`,
  )
  const { problems } = await checkStart({ data: directory, port: '0' }, {})
  expect(problems).toEqual([expect.stringContaining(reason)])
  expect(readdirSync(directory)).not.toContain('store.db')
})

test('rejects a store that lost its secret key, and starts once it is restored', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  const stored = join(directory, 'secret-key')
  renameSync(stored, `${stored}.backup`)
  await expect(open(directory)).rejects.toThrow('PI_SECRET_KEY: the file secret-key of the data')
  expect(existsSync(stored)).toBe(false)
  const other = { store: { kind: 'directory', directory }, secretKey: newSecretKey() } as const
  await expect(openStore(other)).rejects.toThrow('PI_SECRET_KEY: differs from the key')
  renameSync(`${stored}.backup`, stored)
  await (await open(directory)).close()
})

test('creates one secret key if a service and a command open a new directory together', async () => {
  const directory = temporaryFolder()
  const opened = await Promise.all([1, 2, 3, 4].map(async () => await open(directory)))
  expect(new Set(opened.map(({ keys }) => keys.checkValue)).size).toBe(1)
  for (const { close } of opened) await close()
  expect(readdirSync(directory)).toContain('secret-key')
})

test('keeps a directory and its files for their owner, also if they were not', async () => {
  const directory = temporaryFolder()
  const opened = async (): Promise<void> => {
    const { db, close } = await openServedStore({
      store: { kind: 'directory', directory },
      secretKey: undefined,
    })
    await db.script('create table if not exists kept (id text)')
    for (const name of ['.', ...readdirSync(directory)]) {
      const { mode } = statSync(join(directory, String(name)))
      expect(mode & 0o077, `${name}: ${mode.toString(8)}`).toBe(0)
    }
    await close()
  }
  await opened()
  chmodSync(directory, 0o755)
  chmodSync(join(directory, 'store.db'), 0o644)
  chmodSync(join(directory, 'secret-key'), 0o644)
  await opened()
})

test('has all rows in the one file after it was closed', async () => {
  const directory = temporaryFolder()
  const { db, close } = await open(directory)
  await db.query(sql`insert into merchants (id, name, created_at) values ('m', 'Kept', 1)`)
  await close()
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(join(directory, 'store.db'), copy)
  const restored = openSqlite(copy)
  atEnd(() => restored.close())
  expect(await restored.query(sql`select name from merchants`)).toEqual([{ name: 'Kept' }])
})
