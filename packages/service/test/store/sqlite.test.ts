import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createIntentStore } from '../../src/intents/store.ts'
import { listEnvironments } from '../../src/merchants/environments.ts'
import { newSecretKey } from '../../src/secret-keys.ts'
import { openServedStore } from '../../src/start/open-store.ts'
import { lockDirectory } from '../../src/store/data-directory.ts'
import { sql } from '../../src/store/sql.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { startProcess } from '../support/service.ts'
import { hashes, insertEnvironment, newIntent, openTestStore } from '../support/store.ts'

const open = async (directory: string, secretKey?: string) =>
  await openServedStore({ store: { kind: 'directory', directory }, secretKey })

const isRoot = process.getuid?.() === 0

test('rejects a directory that this user cannot write, with the fix, and creates nothing', async () => {
  const folder = temporaryFolder()
  fs.chmodSync(folder, 0o555)
  // File permissions do not apply to root, so it becomes another user in the meantime.
  if (isRoot) process.seteuid?.(65534)
  const data = join(folder, 'data')
  const rejected = open(data).finally(() => isRoot && process.seteuid?.(0))
  const rule = `The data directory ${data} cannot be used (EACCES). Use a directory that the user who`
  await expect(rejected).rejects.toThrow(rule)
  expect(fs.readdirSync(folder)).toEqual([])
})

test('rejects a directory that lost its database, and leaves it as it is', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  fs.rmSync(join(directory, 'store.db'))
  const rule = `The data directory ${directory} has a secret-key, but no store.db. Restore`
  await expect(open(directory)).rejects.toThrow(rule)
  expect(fs.readdirSync(directory)).not.toContain('store.db')
})

test('rejects a store of another version, with the fix', async () => {
  const directory = temporaryFolder()
  const { db, close } = await open(directory)
  await db.query(sql`update store set version = 1`)
  await close()
  const rule = /^The store has tables of version 1, .*Use an empty/
  await expect(open(directory)).rejects.toThrow(rule)
})

test('rejects a store that lost its secret key, and starts once it is restored', async () => {
  const directory = temporaryFolder()
  await (await open(directory)).close()
  const stored = join(directory, 'secret-key')
  fs.renameSync(stored, `${stored}.backup`)
  await expect(open(directory)).rejects.toThrow('PI_SECRET_KEY: the file secret-key of the data')
  expect(fs.existsSync(stored)).toBe(false)
  const withAnother = open(directory, newSecretKey())
  await expect(withAnother).rejects.toThrow('PI_SECRET_KEY: differs from the key')
  fs.renameSync(`${stored}.backup`, stored)
  await (await open(directory)).close()
})

test('keeps a directory for its owner, also if it was not', async () => {
  const directory = temporaryFolder()
  fs.chmodSync(directory, 0o755)
  const { db, close } = await open(directory)
  await db.script('create table if not exists kept (id text)')
  for (const name of ['.', ...fs.readdirSync(directory)]) {
    const { mode } = fs.statSync(join(directory, name))
    expect(mode & 0o077, `${name}: ${mode.toString(8)}`).toBe(0)
  }
  await close()
})

test('has all rows in the one file after it was closed', async () => {
  const directory = temporaryFolder()
  const { db, close } = await open(directory)
  await db.query(insertEnvironment('env_1', 'Kept', 'test'))
  await close()
  const copy = join(temporaryFolder(), 'copy.db')
  fs.copyFileSync(join(directory, 'store.db'), copy)
  const restored = openSqlite(copy)
  atEnd(() => restored.close())
  expect(await listEnvironments(restored)).toMatchObject([{ merchantName: 'Kept' }])
})

const dist = new URL('../../dist/', import.meta.url)

async function runModule(source: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, ...args])
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(errors).toBe('')
  return output
}

test('creates one intent from 200 creates with one key in two processes', async () => {
  const file = join(temporaryFolder(), 'store.db')
  const db = await openTestStore(file)
  const source = `
    import { createIntentStore, draftIntent } from '${dist}intents/store.js'
    import { openSqlite } from '${dist}store/sqlite.js'
    const db = openSqlite(process.argv[1])
    const store = createIntentStore({ db, now: () => new Date() })
    const body = { amount: 1, currency: 'EUR', orderId: 'A' }
    while (Date.now() < Number(process.argv[2]));
    for (let round = 1; round <= 20; round++) {
      const hash = String(round).padStart(64, '0')
      const results = await Promise.all(Array.from({ length: 100 }, () => {
        const intent = draftIntent({ environmentId: 'env_test', body, createdAt: new Date() })
        return store.create({ intent, key: { hash, fingerprint: hash } })
      }))
      console.log(results.map(({ type, intent }) => type + ' ' + intent.id).join('\\n'))
    }`
  const at = String(Date.now() + 1500)
  const outputs = await Promise.all([1, 2].map(async () => await runModule(source, file, at)))
  const lines = outputs.join('').trim().split('\n')
  expect(lines).toHaveLength(4000)
  expect(lines.filter((line) => line.startsWith('created'))).toHaveLength(20)
  expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(20)
  expect(await db.query(sql`select id from intents`)).toHaveLength(20)
})

test('lets one service have a directory until it ends, also if it is killed', async () => {
  const directory = temporaryFolder()
  const release = await lockDirectory(directory)
  await expect(lockDirectory(directory)).rejects.toThrow('is in use by another service')
  release()
  const service = await startProcess(['--data', directory])
  await expect(lockDirectory(directory)).rejects.toThrow('is in use by another service')
  await service.stop('SIGKILL')
  ;(await lockDirectory(directory))()
})

test('fails creates while the disk is full, and none after it', async () => {
  const db = await openTestStore(join(temporaryFolder(), 'store.db'))
  const { create: store, find } = createIntentStore({ db, now: () => new Date() })
  const metadata = { note: 'x'.repeat(3000) }
  const draft = (number: number) => ({ intent: newIntent({ metadata }), key: hashes(number) })
  await store(draft(0))
  await db.script('pragma max_page_count = 60')
  const drafts = Array.from({ length: 200 }, (_, at) => draft(at + 1))
  const results = await Promise.allSettled(drafts.map(store))
  const stored = results.filter(({ status }) => status === 'fulfilled')
  expect(stored.length).toBeLessThan(200)
  for (const [at, result] of results.entries()) {
    const found = await find(drafts[at]?.intent.id ?? '')
    if (result.status === 'fulfilled') expect(found).toBeDefined()
    else {
      expect(result.reason).toMatchObject({ code: 'SQLITE_FULL', unavailable: true })
      expect(found).toBeUndefined()
    }
  }
  await db.script('pragma max_page_count = 1000000')
  for (const each of drafts) expect((await store(each)).type).toBe('created')
})
