import { describe, expect, test } from 'vitest'
import { insertIntent } from '../../src/intents/statements.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { type Environment, findEnvironment } from '../../src/merchants/environments.ts'
import { deleteAllIntents, listIntents } from '../../src/sandbox/intents.ts'
import { sql } from '../../src/store/sql.ts'
import { newIntent, stores } from '../support/store.ts'

const start = new Date('2026-11-20T12:00:00.000Z')

describe.each(stores)('%s', async (_, open) => {
  const db = await open()
  // The ten oldest were created in the same millisecond.
  await Promise.all(
    Array.from({ length: 1250 }, (_each, at) => {
      const createdAt = new Date(start.getTime() + Math.max(at + 1, 10))
      const number = String(at + 1).padStart(4, '0')
      const intent = newIntent({ id: `pi_${number}`, orderId: `order-${number}`, createdAt })
      return db.query(insertIntent({ intent }))
    }),
  )
  const environment = (await findEnvironment(db, 'env_test')) as Environment

  const search = async (term?: string): Promise<readonly string[]> => {
    const found = await listIntents({ db, now: () => start }, environment, term)
    return found.map(({ orderId }) => orderId)
  }

  test('lists the newest 100, newest first', async () => {
    const newest = Array.from({ length: 100 }, (_each, at) => `order-${1250 - at}`)
    expect(await search()).toEqual(newest)
  })

  test.each([
    ['its id', 'pi_0012', ['order-0012']],
    ['its order', 'ORDER-0012', ['order-0012']],
  ])('finds an old intent by %s', async (_name, term, found) => {
    expect(await search(term)).toEqual(found)
  })

  test('finds each of the intents of one millisecond once', async () => {
    for (let number = 1; number <= 10; number++) {
      const orderId = `order-${String(number).padStart(4, '0')}`
      expect(await search(orderId)).toEqual([orderId])
    }
  })

  test('finds no intent of another environment, and ids by their beginning only', async () => {
    await db.query(sql`update intents set environment_id = 'env_other' where id = 'pi_0007'`)
    for (const term of ['pi_0007', 'order-0007']) {
      expect(await search(term)).not.toContain('order-0007')
    }
    expect(await search('i_0004')).toEqual([])
    await db.query(sql`update intents set environment_id = 'env_test' where id = 'pi_0007'`)
  })

  test('finds the intents of a status, after their deadlines', async () => {
    const at = { db, now: () => new Date('2026-11-22T12:00:00.000Z') }
    expect(await listIntents(at, environment, 'expired')).toHaveLength(100)
    expect(await listIntents(at, environment, 'requires_payment_method')).toEqual([])
  })

  test('lists all intents but the one that it cannot read', async () => {
    for (const state of ['{"v":9}', 'not JSON']) {
      await db.query(sql`update intents set state = ${state} where id = 'pi_1249'`)
      const found = await search()
      expect(found.slice(0, 2)).toEqual(['order-1250', 'order-1248'])
    }
    await db.query(sql`update intents set state = null where id = 'pi_1249'`)
  })

  test('serves other requests while it deletes many intents, and deletes no others', async () => {
    const other = newIntent({ environmentId: 'env_live' })
    const { create, find } = createIntentStore({ db, now: () => start })
    await create({ intent: other })
    // PostgreSQL opens a connection for each.
    await Promise.all([find(other.id), search()])
    let isEnded = false
    const ending = deleteAllIntents(db, 'env_test').finally(() => {
      isEnded = true
    })
    let served = 0
    for (; !isEnded; served++) {
      expect(await find(other.id)).toBeDefined()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await ending).toBe(1250)
    expect(served).toBeGreaterThan(3)
    expect(await db.query(sql`select id from intents`)).toEqual([{ id: other.id }])
  })
})
