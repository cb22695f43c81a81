import { expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { deleteEnvironment, resetEnvironments } from '../../src/sandbox/reset.ts'
import { openTestStore } from '../support/store.ts'

test.each([
  ['resets', resetEnvironments],
  ['deletes', deleteEnvironment],
] as const)(
  'serves other requests while it %s an environment with many intents',
  async (_, end) => {
    const db = await openTestStore()
    for (let from = 1; from < 20_000; from += 2000) {
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
    }
    expect(await ending).toBeTruthy()
    expect(served).toBeGreaterThan(3)
    expect(await db.query`select id from intents`).toEqual([{ id: 'env_live1' }])
  },
)

async function fill(
  db: Database,
  environmentId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const now = new Date()
  await db.query`
    insert into intents (id, environment_id, amount, currency, order_id, secret_kid, due_at, created_at)
    select ${environmentId} || n, ${environmentId}, 1, 'EUR', 'A', 'k1',
           ${now}::timestamptz + interval '1 day', ${now}::timestamptz + interval '1 s' * (n / 100)
      from generate_series(${from}::int, ${to}::int) n`
}
