import { describe, expect, test } from 'vitest'
import { type Intent, stateOf, withState } from '../../src/intents/intent.ts'
import { decide } from '../../src/intents/lifecycle.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { Overloaded, StoreError } from '../../src/store/errors.ts'
import type { Statement } from '../../src/store/sql.ts'
import { together } from '../../src/store/together.ts'
import { pay } from '../support/causes.ts'
import { hashes, newIntent, stores } from '../support/store.ts'

const statement = (id: number): Statement => ({ name: 'change', text: '', values: [id] })

const circular: Record<string, unknown> = {}
circular.self = circular

/** What one client can send that a statement, a driver, or this service rejects. */
const poisons: readonly (readonly [kind: string, changes: Partial<Intent>])[] = [
  ['a text with U+0000', { orderId: 'A\0B' }],
  ['a missing value', { orderId: null as never }],
  ['an undefined value', { currency: undefined as never }],
  ['a boolean', { orderId: true as never }],
  ['a date', { orderId: new Date() as never }],
  ['bytes', { orderId: Buffer.alloc(1) as never }],
  ['a BigInt', { amount: 1n as never }],
  ['no number', { amount: Number.NaN }],
  ['an integer above 2^53', { amount: 2 ** 53 }],
  ['a fraction', { amount: 0.5 }],
  ['a value that a check rejects', { currency: 'XXX' as never }],
  ['a value that is too long', { orderId: 'A'.repeat(33) }],
  ['a time that does not exist', { createdAt: new Date(Number.NaN) }],
  ['a document that is circular', { metadata: circular as never }],
  ['a document that is a BigInt', { metadata: { value: 1n } as never }],
  ['an id that is taken', { id: 'pi_taken' }],
]

describe.each(stores)('%s', async (_, open) => {
  const db = await open()
  const store = createIntentStore({ db, now: () => new Date() })
  await store.create({ intent: newIntent({ id: 'pi_taken' }) })

  async function twenty(): Promise<readonly Intent[]> {
    const intents = Array.from({ length: 20 }, () => newIntent())
    await Promise.all(intents.map(async (intent) => await store.create({ intent })))
    return intents
  }

  /** @see Finding S1 */
  test.each(poisons)('fails only the create with %s, among twenty', async (_, changes) => {
    const drafts = Array.from({ length: 20 }, (_, at) => ({
      intent: newIntent(at === 7 ? changes : {}),
      key: at % 2 === 0 ? hashes(Math.floor(Math.random() * 1e9)) : undefined,
    }))
    expect(await rejectedOf(drafts.map(store.create))).toEqual([7])
    for (const [at, { intent }] of drafts.entries()) {
      if (at !== 7) expect(await store.find(intent.id)).toMatchObject({ id: intent.id })
    }
  })

  /** Changes of twenty clients that are written at the same time, and among them one that cannot be stored. */
  test.each<[kind: string, poison: (intent: Intent) => Intent]>([
    ['breaks a rule of its state', (intent) => ({ ...intent, status: 'expired' })],
    ['is too long in bytes, but not in characters', (intent) => grown(intent, 'Ա'.repeat(40_000))],
    ['is too long', (intent) => grown(intent, '"'.repeat(40_000))],
    ['has a time that does not exist', (intent) => canceledAt(intent, 'never')],
  ])('fails only the change that %s', async (_, poison) => {
    const intents = await twenty()
    const writes = intents.map(
      async (intent, at) => await store.write(intent, at === 7 ? poison(intent) : paid(intent)),
    )
    expect(await rejectedOf(writes)).toEqual([7])
    for (const [at, { id }] of intents.entries()) {
      const status = at === 7 ? 'requires_payment_method' : 'succeeded'
      expect((await store.find(id))?.status).toBe(status)
    }
  })

  test('reads twenty intents although one of them cannot be read', async () => {
    const intents = await twenty()
    const broken = intents[7]?.id ?? ''
    for (const [column, value] of [
      ['state', '{"v":9}'],
      ['state', 'not JSON'],
      ['metadata', '{'],
      ['customer', ''],
    ] as const) {
      await db.script(`update intents set ${column} = '${value}' where id = '${broken}'`)
      expect(await rejectedOf(intents.map(({ id }) => store.find(id)))).toEqual([7])
      await expect(store.find(broken)).rejects.toMatchObject({ name: 'UnreadableIntent' })
      await db.script(`update intents set ${column} = null where id = '${broken}'`)
    }
  })
})

async function rejectedOf(promises: readonly Promise<unknown>[]): Promise<readonly number[]> {
  const results = await Promise.allSettled(promises)
  return results.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
}

const paid = (intent: Intent): Intent => decide(intent, pay(), new Date()).intent

function grown(intent: Intent, page: string): Intent {
  return { ...intent, state: { ...stateOf(intent), page } as never }
}

function canceledAt(intent: Intent, at: string): Intent {
  const events = [{ cause: 'canceled', status: 'canceled', at } as const]
  return withState(intent, { ...stateOf(intent), events })
}

test('runs a set that was undone one by one, and none that may be committed', async () => {
  const undone = ['23514', '22021', '40P01']
  for (const code of [...undone, 'connection_lost', '08007', '57014', '53100']) {
    const sizes: number[] = []
    const run = async (set: readonly Statement[]): Promise<unknown[][]> => {
      sizes.push(set.length)
      if (set.some(({ values }) => values[0] === 2)) throw new StoreError(code)
      return set.map(({ values }) => [...values])
    }
    const shared = together({ run, size: 10, lanes: 1 })
    const rejected = await rejectedOf([1, 2, 3].map((id) => shared(statement(id))))
    const [runs, failed] = undone.includes(code) ? [[3, 1, 1, 1], [1]] : [[3], [0, 1, 2]]
    expect([code, sizes, rejected]).toEqual([code, runs, failed])
  }
})

test('lets 4,096 statements wait and rejects one more immediately', async () => {
  const run = async (set: readonly Statement[]) => set.map(({ values }) => [...values])
  const shared = together({ run, size: 10, lanes: 1 })
  const waiting = Array.from({ length: 4096 }, (_, id) => shared(statement(id)))
  await expect(shared(statement(0))).rejects.toBeInstanceOf(Overloaded)
  expect(await Promise.all(waiting)).toHaveLength(4096)
})
