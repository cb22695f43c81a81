import { expect, test } from 'vitest'
import type { Event, Intent, RecordEvent } from '../src/events.ts'
import { missingIn, type Rule, violationIn } from '../src/rules.ts'

// Parts of a log. Buyer A has order O of 900 AMD, and intent pi_1 of it.
const intent = (given: Partial<Intent> = {}): Intent => {
  const price = { amount: 900, currency: 'AMD' } as const
  return { id: 'pi_1', orderId: 'O', status: 'requires_payment_method', ...price, ...given }
}
const failed = intent({ status: 'failed' })
const paid = intent({ status: 'succeeded' })
const second = intent({ id: 'pi_2' })
const paidSecond = intent({ id: 'pi_2', status: 'succeeded' })
const edited = intent({ id: 'pi_2', amount: 1500 })
const paidEdited = intent({ id: 'pi_2', amount: 1500, status: 'succeeded' })
const other = intent({ id: 'pi_2', orderId: 'P' })
const paidOther = intent({ id: 'pi_2', orderId: 'P', status: 'succeeded' })

const order = (amount = 900, orderId = 'O'): Event => {
  const placed = { orderId, amount, currency: 'AMD' }
  return { type: 'order', buyer: 'A', order: placed, isEdited: false }
}
const edit: Event = { type: 'order', buyer: 'A', order: { amount: 1500 }, isEdited: true }
const has = (...intents: Intent[]): Event => ({ type: 'intents', intents })
const apiKey = `pi_sk_test_${'a'.repeat(16)}_${'b'.repeat(36)}`
const clientSecret = `pi_1_secret_${'0'.repeat(64)}`
const handoff = (given = intent(), buyer = 'A'): Event => {
  return { type: 'handoff', buyer, status: 200, given: { ...given, clientSecret } }
}
const noHandoff: Event = { type: 'handoff', buyer: 'A', status: 409, given: undefined }
const status = (phase: string, orderId = 'O', buyer = 'A'): Event => {
  return { type: 'status', buyer, orderId, phase }
}
const record = (stored: Partial<RecordEvent['record']>): Event => {
  return { type: 'record', orderId: 'O', record: { state: 'open', ...stored } }
}
const response = (received: { isHandoff?: boolean; head?: string; body?: string }): Event => {
  const page = { method: 'GET', path: '/', isHandoff: false, head: '', body: '' }
  return { type: 'response', ...page, ...received }
}
const output = (lines: string[] = [], lint: string[] = []): Event => {
  return { type: 'output', lines, lint }
}

type Logs = Readonly<Record<string, readonly Event[]>>

const bought = [order(), handoff(), has(paid)]
const boughtTwice = [handoff(), edit, handoff(edited), has(paid, paidEdited)]

const logs: Readonly<Record<Rule | 'nothing', Logs>> = {
  double_payment: {
    'two intents of an order are paid': [handoff(), handoff(second), has(paid, paidSecond)],
    'two orders of one purchase are paid': [handoff(), handoff(other), has(paid, paidOther)],
    'an order gets another intent while one is paid': [handoff(), has(paid), handoff(second)],
  },
  session_mixed: {
    'a buyer gets the intent of another buyer': [handoff(), handoff(intent(), 'B')],
    'a buyer sees that the order of another is paid': [...bought, status('paid', 'O', 'B')],
  },
  price_from_browser: {
    'an intent has the forged amount': [handoff(intent({ amount: 7 }))],
  },
  wrong_price: {
    'an intent has another amount than its order': [order(1500), handoff()],
    'an intent has another currency than its order': [
      order(),
      handoff(intent({ currency: 'USD' })),
    ],
  },
  false_paid: {
    'the status is paid without a payment': [handoff(), status('paid')],
    'the status is paid, and only another buyer has paid': [
      order(),
      { type: 'order', buyer: 'B', order: { orderId: 'O' }, isEdited: false },
      ...bought,
      status('paid', 'O', 'B'),
    ],
    'the status is paid, and only the amount before an edit was': [
      handoff(),
      edit,
      has(paid),
      status('paid'),
    ],
    'the order is fulfilled, and its payment failed': [
      handoff(),
      has(failed),
      record({ fulfilments: 1 }),
    ],
    'the record is paid without a payment': [handoff(), record({ state: 'paid' })],
    'the record is paid, and only the amount before an edit was': [
      handoff(),
      edit,
      has(paid),
      record({ state: 'paid' }),
    ],
  },
  fulfilled_twice: { 'the order is paid': [...bought, record({ fulfilments: 2 })] },
  shop_exited: { 'a process exits': [{ type: 'exited', reason: 'SyntaxError' }] },
  secret_exposed: {
    'a page contains a clientSecret': [response({ body: clientSecret })],
    'a header of the handoff contains a clientSecret': [
      response({ isHandoff: true, head: `x: ${clientSecret}` }),
    ],
    'the handoff contains the API key': [response({ isHandoff: true, body: apiKey })],
    'the shop prints a clientSecret': [output([clientSecret])],
    'a clientSecret is in an address': [output([], ['secret_in_url'])],
  },
  not_payable: {
    'a failed order gets no handoff': [handoff(), noHandoff],
    'a failed order gets the failed intent': [handoff(), handoff(failed)],
  },
  payment_lost: {
    'the record of a paid order is open': [...bought, record({ state: 'open' })],
    'the shop has no record of a paid order': [...bought, record({ state: 'missing' })],
    'the record of a paid order is under review': [...bought, record({ state: 'review' })],
    'a buyer who is back sees no payment': [...bought, status('open', 'O')],
  },
  paid_unreviewed: {
    'two versions are paid, and none is under review': [
      ...boughtTwice,
      record({ state: 'paid', reviews: [] }),
    ],
  },
  not_fulfilled: {
    'an order is paid': [...bought, record({ state: 'paid', fulfilments: 0 })],
  },
  nothing: {
    'a reload gets the same intent': [order(), handoff(), order(), handoff(), has(paid)],
    'another purchase follows a paid one': [
      ...bought,
      order(900, 'P'),
      handoff(other),
      has(paid, paidOther),
    ],
    'an edit leads to another order': [
      order(),
      handoff(),
      { type: 'order', buyer: 'A', order: { orderId: 'P', amount: 900 }, isEdited: true },
      handoff(other),
      has(paid, paidOther),
    ],
    'two versions of an order are paid': boughtTwice,
    'another intent replaces a failed one': [handoff(), has(failed), handoff(second)],
    'the handoff contains its clientSecret': [response({ isHandoff: true, body: clientSecret })],
    'a failed order gets another intent': [handoff(), handoff(second)],
    'the record becomes paid': [...bought, record({ state: 'open' }), record({ state: 'paid' })],
    'only the amount before an edit is paid, and it is under review': [
      handoff(),
      edit,
      has(paid),
      record({ state: 'review' }),
    ],
    'two versions are paid, and one is under review': [
      ...boughtTwice,
      record({ state: 'paid', reviews: ['pi_1'] }),
    ],
    'the order that was paid was left for another one, and the payment is under review': [
      ...bought,
      order(900, 'P'),
      record({ state: 'open', reviews: ['pi_1'] }),
    ],
    'a buyer who is back sees the payment': [...bought, status('paid', 'O')],
    'the adapter reads no records': [...bought],
  },
}

const ends = ['retry', 'away', 'back'] as const

for (const [rule, cases] of Object.entries(logs)) {
  test.each(Object.entries(cases))(`${rule}: %s`, (_, events) => {
    const [missing] = ends.flatMap((stage) => missingIn(events, stage) ?? [])
    expect((violationIn(events) ?? missing)?.rule ?? 'nothing').toBe(rule)
  })
}

test('what the shop has to do while its buyers are away is not expected before', () => {
  const log = [...bought, record({ state: 'open' })]
  expect(violationIn(log)).toBeUndefined()
  expect(missingIn(log, 'retry')).toBeUndefined()
  expect(missingIn(log, 'away')?.rule).toBe('payment_lost')
})

test('a violation contains no secret', () => {
  const violation = violationIn([output([`key ${apiKey}, ${clientSecret}`])])
  expect(violation?.detail).toMatch(/^The shop printed a secret: key \[secret\], \[secret\] /)
})
