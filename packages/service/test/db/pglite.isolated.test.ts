import { fdatasyncSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'

// Only the disk can be made to fail, and its syncs are counted.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, fdatasyncSync: vi.fn(fs.fdatasyncSync) }
})

const disk = await openPglite(temporaryFolder())
atEnd(() => disk.close())
await disk.script('create table notes (text text)')

test('keeps no results in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const read = async () => await disk.query`select repeat('x', 20000) as text`
  await read()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 500; count++) await read()
  collect()
  const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20
  expect(megabytes).toBeLessThan(3)
})

test('syncs the disk once for each commit and never for a read', async () => {
  const { calls } = vi.mocked(fdatasyncSync).mock
  const before = calls.length
  for (let count = 0; count < 20; count++) await disk.query`insert into notes values ('kept')`
  expect(calls.length - before).toBe(20)
  await disk.query`select from notes`
  expect(calls.length - before).toBe(20)
})

test('fails a commit that the disk cannot sync, and keeps what it acknowledged', async () => {
  await disk.query`truncate notes`
  await disk.query`insert into notes values ('acknowledged')`
  const broken = async (statement: () => Promise<unknown>): Promise<void> => {
    vi.mocked(fdatasyncSync).mockImplementationOnce(() => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    })
    await expect(statement()).rejects.toMatchObject({ name: 'StoreError', unavailable: true })
  }
  await broken(async () => await disk.query`insert into notes values ('failed')`)
  await disk.query`insert into notes values ('after')`
  await broken(async () => await disk.query`checkpoint`)
  const notes = await disk.query<{ text: string }>`select text from notes where text <> 'failed'`
  expect(notes.map(({ text }) => text)).toEqual(['acknowledged', 'after'])
})
