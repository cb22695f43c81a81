import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createIntentStore } from '../../src/intents/store.ts'
import { lockDirectory } from '../../src/store/data-directory.ts'
import { temporaryFolder } from '../support/lifetime.ts'
import { startProcess } from '../support/service.ts'
import { hashes, newIntent, openTestStore } from '../support/store.ts'

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
