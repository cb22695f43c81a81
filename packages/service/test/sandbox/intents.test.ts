import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { idempotencyHashes } from '../../src/intents/idempotency.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { insertIntent as insertDraft } from '../../src/intents/statements.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { findEnvironment } from '../../src/merchants/environments.ts'
import { type IntentSearch, listIntents, searchIntents } from '../../src/sandbox/intents.ts'
import { type Statement, sql } from '../../src/store/sql.ts'
import { newIntent, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-20T12:00:00.000Z')
// The ten oldest were created in the same millisecond.
await db.transaction(
  Array.from({ length: 2250 }, (_, at) => {
    const number = at + 1
    const createdAt = start.getTime() + Math.max(number, 10)
    return insertIntent({
      id: `pi_${number}`,
      orderId: `order-${number}`,
      createdAt: new Date(createdAt),
    })
  }),
)

function insertIntent(changes: Partial<Intent>): Statement {
  return insertDraft({ intent: newIntent(changes) })
}

const environment = await findEnvironment(db, 'env_test')
if (!environment) throw new Error('missing')

/** Reads the pages of a search. */
const search = async (filter: Partial<IntentSearch>, hours = 0) => {
  const now = (): Date => new Date(start.getTime() + hours * 3600_000)
  const pages: (readonly unknown[])[] = []
  let before: string | undefined
  do {
    const { intents, next } = await listIntents(
      { db, intents: createIntentStore({ db, now }) },
      { environment, before, term: null, status: null, ...filter },
    )
    pages.push(intents.map(({ orderId, status }) => `${orderId} ${status}`))
    before = next ?? undefined
  } while (before !== undefined)
  return pages
}

test('examines 500 intents for each page of a search', async () => {
  const term = 'Customer-'
  await db.query(sql`
    update intents set customer = ${JSON.stringify({ id: 'customer-1' })}
     where order_id in ('order-3', 'order-4', 'order-1751', 'order-2250')`)
  expect(await search({ term })).toEqual([
    ['order-2250 requires_payment_method', 'order-1751 requires_payment_method'],
    [],
    [],
    [],
    ['order-4 requires_payment_method', 'order-3 requires_payment_method'],
  ])
  expect(await search({ status: 'succeeded' })).toEqual([[], [], [], [], []])
})

test.each([
  ['its id', 'pi_5'],
  ['its idempotency key', 'key-5'],
])('finds an old intent by exactly %s, on the first page', async (_, term) => {
  const { hash } = idempotencyHashes(environment, { key: 'key-5', body: {} as CreatePaymentIntent })
  await db.query(sql`
    update intents
       set key_hash = ${hash}, key_fingerprint = '0', key_expires_at = created_at
     where id = 'pi_5'`)
  expect(await search({ term })).toEqual([['order-5 requires_payment_method']])
  expect(await search({ term, status: 'succeeded' })).toEqual([[]])
})

test('finds an old intent by exactly its order on the first page, and then those with a longer one', async () => {
  const [first, ...others] = await search({ term: 'order-5' })
  expect(first).toEqual(['order-5 requires_payment_method'])
  expect(others.flat()).toContain('order-59 requires_payment_method')
})

test('finds all intents of one customer, newest first, and none of another environment', async () => {
  await db.query(sql`
    update intents set customer = '{"id":"cus_old"}' where id in ('pi_7', 'pi_11', 'pi_12')`)
  await db.query(sql`update intents set environment_id = 'env_other' where id = 'pi_7'`)
  const found = ['order-12 requires_payment_method', 'order-11 requires_payment_method']
  expect((await search({ term: 'cus_old' })).flat()).toEqual(found)
  expect((await search({ term: 'pi_7' })).flat()).not.toContain('order-7 requires_payment_method')
  await db.query(sql`update intents set environment_id = 'env_test' where id = 'pi_7'`)
})

test('finds ids by their beginning only, because they are random', async () => {
  expect((await search({ term: 'i_4' })).flat()).toEqual([])
  expect((await search({ term: 'pi_' })).flat()).toHaveLength(2250)
})

test('continues a search at the last match of a full page', async () => {
  const pages = await search({ term: 'order-' })
  expect(pages.map(({ length }) => length)).toEqual([...Array(22).fill(100), 50])
  expect(new Set(pages.flat()).size).toBe(2250)
  expect((await search({})).length).toBe(23)
})

test('finds an old intent with one request while there is time, else with the next one', async () => {
  await db.query(sql`update intents set customer = '{"id":"cus_first"}' where id = 'pi_13'`)
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  const store = { db, intents: createIntentStore({ db, now: () => start }) }
  const from = async (before?: string) =>
    await searchIntents(store, { environment, before, term: 'cus_first', status: null })
  expect((await from()).intents).toMatchObject([{ orderId: 'order-13' }])
  clock.mockReturnValueOnce(0).mockReturnValue(1000)
  const { intents, next } = await from()
  expect(intents).toEqual([])
  clock.mockReturnValue(0)
  expect((await from(next ?? '')).intents).toMatchObject([{ orderId: 'order-13' }])
})

test('lists all intents but the one that it cannot read', async () => {
  for (const state of ['{"v":9}', 'not JSON']) {
    await db.query(sql`update intents set state = ${state} where id = 'pi_2249'`)
    const [page = []] = await search({})
    expect(page).toHaveLength(100)
    expect(page.slice(0, 2)).toEqual([
      'order-2250 requires_payment_method',
      'order-2248 requires_payment_method',
    ])
  }
  await db.query(sql`update intents set state = null where id = 'pi_2249'`)
})

test('shows passed deadlines without writing them', async () => {
  const [page] = await search({ term: 'order-2250' }, 25)
  expect(page).toEqual(['order-2250 expired'])
  expect((await search({ status: 'requires_payment_method' }, 25)).flat()).toEqual([])
  expect((await search({ status: 'expired' }, 25)).flat()).toHaveLength(2250)
  const changed = await db.query(sql`select id from intents where version > 1`)
  expect(changed).toEqual([])
})
