import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { Change } from '../../src/store/database.ts'
import { openPool, openPostgres } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'

const server = await startPostgres()
const [sender, receiver] = [await openPostgres(server.url), await openPostgres(server.url)]
for (const db of [sender, receiver]) atEnd(() => db.close())

test('says that changes may be missing, if it could not publish them', async () => {
  const changes: Change[] = []
  receiver.listen((change) => changes.push(change))
  // Until it listens, it says so itself.
  await vi.waitUntil(() => {
    sender.notify({ intentId: 'probe' })
    return changes.some((change) => change !== 'environments')
  })
  changes.length = 0
  const pool = openPool({ connectionString: server.url })
  const cut = vi.spyOn(pool, 'query').mockRejectedValueOnce(new Error('no connection'))
  const failing = shareChanges(pool, () => new pg.Client(server.url))
  atEnd(() => failing.close())
  failing.notify({ intentId: 'pi_4' })
  await expect.poll(() => changes).toContain('environments')
  expect(cut).toHaveBeenCalled()
})
