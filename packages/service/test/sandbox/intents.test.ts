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
      const intent = newIntent({ id: `pi_${at + 1}`, orderId: `order-${at + 1}`, createdAt })
      return db.query(insertIntent({ intent }))
    }),
  )
  const environment = (await findEnvironment(db, 'env_test')) as Environment

  const search = async (term?: string): Promise<readonly string[][]> => {
    const pages: string[][] = []
    let before: string | undefined
    do {
      const at = { db, now: () => start }
      const { intents, next } = await listIntents(at, environment, { before, q: term })
      pages.push(intents.map(({ orderId }) => orderId))
      before = next ?? undefined
    } while (before !== undefined)
    return pages
  }

  test('lists each intent once, newest first, in pages of 100', async () => {
    const pages = await search()
    expect(pages.map(({ length }) => length)).toEqual([...Array(12).fill(100), 50])
    expect(pages.flat().slice(0, 2)).toEqual(['order-1250', 'order-1249'])
    expect(new Set(pages.flat()).size).toBe(1250)
  })

  test.each([
    ['its id', 'pi_12', ['order-12']],
    ['its order', 'ORDER-12', ['order-1250', 'order-12']],
  ])('finds an old intent by %s on the first page', async (_name, term, found) => {
    const [first] = await search(term)
    expect(first).toEqual(expect.arrayContaining(found))
  })

  test('finds no intent of another environment, and ids by their beginning only', async () => {
    await db.query(sql`update intents set environment_id = 'env_other' where id = 'pi_7'`)
    for (const term of ['pi_7', 'order-7']) {
      expect((await search(term)).flat()).not.toContain('order-7')
    }
    expect((await search('i_4')).flat()).toEqual([])
    await db.query(sql`update intents set environment_id = 'env_test' where id = 'pi_7'`)
  })

  test('finds the intents of a status, after their deadlines', async () => {
    const at = { db, now: () => new Date('2026-11-22T12:00:00.000Z') }
    const countOf = async (status: 'expired' | 'requires_payment_method'): Promise<number> =>
      (await listIntents(at, environment, { status })).intents.length
    expect(await countOf('expired')).toBe(100)
    expect(await countOf('requires_payment_method')).toBe(0)
  })

  test('lists all intents but the one that it cannot read', async () => {
    for (const state of ['{"v":9}', 'not JSON']) {
      await db.query(sql`update intents set state = ${state} where id = 'pi_1249'`)
      const [page = []] = await search()
      expect(page.slice(0, 2)).toEqual(['order-1250', 'order-1248'])
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
