import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createIntentStore } from '../../src/intents/store.ts'
import { lockDirectory } from '../../src/store/data-directory.ts'
import { sql } from '../../src/store/sql.ts'
import { temporaryFolder } from '../support/lifetime.ts'
import { startProcess } from '../support/service.ts'
import { hashes, newIntent, openTestStore } from '../support/store.ts'

const dist = new URL('../../dist/', import.meta.url)

/** Runs a module in a separate process, and returns what it printed. */
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
