import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { idempotencyHashes } from '../../src/intents/idempotency.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { findEnvironment } from '../../src/merchants/environments.ts'
import { type IntentSearch, listIntents, searchIntents } from '../../src/sandbox/intents.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-20T12:00:00.000Z')
// The ten oldest were created in the same millisecond.
await db.query`
  insert into intents (id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
                       due_at, created_at)
  select 'pi_' || n, 'env_test', 1, 'AMD', 'order-' || n, '0123456789abcdef', 'k1',
         at + interval '1 day', at
    from generate_series(1, 22500) n,
         lateral (select ${start}::timestamptz + interval '1 ms' * greatest(n, 10) as at) times`
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

test('examines 10,000 intents for each page of a search', async () => {
  const term = 'customer-'
  await db.query`
    update intents set customer = json_build_object('id', ${term}::text || id)
     where order_id in ('order-3', 'order-4', 'order-12501', 'order-22500')`
  expect(await search({ term })).toEqual([
    ['order-22500 requires_payment_method', 'order-12501 requires_payment_method'],
    [],
    ['order-4 requires_payment_method', 'order-3 requires_payment_method'],
  ])
  expect(await search({ status: 'succeeded' })).toEqual([[], [], []])
})

test.each([
  ['its id', 'pi_5'],
  ['its idempotency key', 'key-5'],
])('finds an old intent by exactly %s, on the first page', async (_, term) => {
  const { hash } = idempotencyHashes(environment, { key: 'key-5', body: {} as CreatePaymentIntent })
  await db.query`
    update intents
       set key_hash = decode(${hash}, 'hex'), key_fingerprint = ${Buffer.alloc(32)},
           key_expires_at = created_at
     where id = 'pi_5'`
  expect(await search({ term })).toEqual([['order-5 requires_payment_method']])
  expect(await search({ term, status: 'succeeded' })).toEqual([[]])
})

test('finds an old intent by exactly its order on the first page, and then those with a longer one', async () => {
  const [first, ...others] = await search({ term: 'order-5' })
  expect(first).toEqual(['order-5 requires_payment_method'])
  expect(others.flat()).toContain('order-59 requires_payment_method')
})

test('finds all intents of one customer, newest first, and none of another environment', async () => {
  await db.query`
    update intents set customer = '{"id":"cus_old"}' where id in ('pi_7', 'pi_11', 'pi_12')`
  await db.query`update intents set environment_id = 'env_other' where id = 'pi_7'`
  const found = [[], [], ['order-12 requires_payment_method', 'order-11 requires_payment_method']]
  expect(await search({ term: 'cus_old' })).toEqual(found)
  expect((await search({ term: 'pi_7' })).flat()).not.toContain('order-7 requires_payment_method')
  await db.query`update intents set environment_id = 'env_test' where id = 'pi_7'`
})

test('finds ids by their beginning only, because they are random', async () => {
  expect((await search({ term: 'i_4' })).flat()).toEqual([])
  expect((await search({ term: 'pi_' })).flat()).toHaveLength(22500)
})

test('continues a search at the last match of a full page', async () => {
  const pages = await search({ term: 'order-' })
  expect(pages.map(({ length }) => length)).toEqual(Array(225).fill(100))
  expect(new Set(pages.flat()).size).toBe(22500)
  expect((await search({})).length).toBe(225)
})

test('finds an old intent with one request while there is time, else with the next one', async () => {
  await db.query`update intents set customer = '{"id":"cus_first"}' where id = 'pi_13'`
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

test('shows passed deadlines without writing them', async () => {
  const [page] = await search({ term: 'order-22500' }, 25)
  expect(page).toEqual(['order-22500 expired'])
  expect((await search({ status: 'requires_payment_method' }, 25)).flat()).toEqual([])
  expect((await search({ status: 'expired' }, 25)).flat()).toHaveLength(22500)
  const changed = await db.query`select from intents where version > 1`
  expect(changed).toEqual([])
})
