import { expect, test } from 'vitest'
import { insertIntent } from '../../src/intents/statements.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { deleteEnvironment, resetEnvironments } from '../../src/sandbox/reset.ts'
import type { Database } from '../../src/store/database.ts'
import { sql } from '../../src/store/sql.ts'
import { newIntent, openTestStore } from '../support/store.ts'

test.each([
  ['resets', resetEnvironments],
  ['deletes', deleteEnvironment],
] as const)(
  'serves other requests while it %s an environment with many intents',
  async (_, end) => {
    const db = await openTestStore()
    for (let from = 1; from < 4000; from += 2000) {
      await fill(db, 'env_test', { from, to: from + 1999 })
    }
    await fill(db, 'env_live', { from: 1, to: 1 })
    const { find } = createIntentStore({ db, now: () => new Date() })
    let isEnded = false
    const ending = end(db, 'env_test').finally(() => {
      isEnded = true
    })
    let served = 0
    for (; !isEnded; served++) {
      expect(await find('env_live1')).toBeDefined()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await ending).toBeTruthy()
    expect(served).toBeGreaterThan(3)
    expect(await db.query(sql`select id from intents`)).toEqual([{ id: 'env_live1' }])
  },
)

async function fill(
  db: Database,
  environmentId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const drafts = numbers.map((number) =>
    newIntent({ id: `${environmentId}${number}`, environmentId }),
  )
  await db.transaction(drafts.map((intent) => insertIntent({ intent })))
}
