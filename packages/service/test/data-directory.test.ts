import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openStore } from '../src/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'pi-read-only-'))
const nobody = 65534
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
        `The data directory ${directory} cannot be used: its file system is mounted read-only; ` +
          'mount it for writing, or choose another with --data or PI_DATA_DIR',
      )
    }
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a data directory that this user may not write is refused, and nothing is made in it', async () => {
  const foreign = mkdtempSync(join(tmpdir(), 'pi-foreign-'))
  chmodSync(foreign, 0o555)
  // Rights do not bind root: it asks as somebody whom they bind.
  if (isRoot) process.seteuid?.(nobody)
  try {
    for (const directory of [foreign, join(foreign, 'data')]) {
      await expect(open(directory)).rejects.toThrow(
        `The data directory ${directory} cannot be used: it must be writable by the user who runs ` +
          'pi-service; chown it, or choose another with --data or PI_DATA_DIR',
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
