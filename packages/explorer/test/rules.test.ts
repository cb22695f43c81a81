import { expect, test } from 'vitest'
import type { Event, Intent, RecordEvent, Stage } from '../src/events.ts'
import { type Rule, violationIn } from '../src/rules.ts'

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
const handoff = (given = intent(), buyer = 'A'): Event => {
  const handed = { intent: given, clientSecret: `${given.id}_secret_x` }
  return { type: 'handoff', buyer, status: 200, given: handed }
}
const noHandoff: Event = { type: 'handoff', buyer: 'A', status: 409, given: undefined }
const status = (phase: string, orderId?: string, buyer = 'A'): Event => {
  return { type: 'status', buyer, orderId, phase }
}
const record = (stored: Partial<RecordEvent['record']>): Event => {
  return { type: 'record', orderId: 'O', record: { state: 'open', ...stored } }
}
const stage = (name: Stage): Event => ({ type: 'stage', stage: name })
const begin: Event = { type: 'begin', apiKey: 'pi_sk_test_1', handoffPath: '/checkout/handoff' }
const response = (path: string, received: { head?: string; body?: string }): Event => {
  return { type: 'response', method: 'GET', path, head: '', body: '', ...received }
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
    'the record is paid without a payment': [handoff(), record({ state: 'paid' })],
    'the record is paid, and only the amount before an edit was': [
      handoff(),
      edit,
      has(paid),
      record({ state: 'paid' }),
    ],
  },
  fulfilled_unpaid: {
    'the payment failed': [handoff(), has(failed), record({ fulfilments: 1 })],
  },
  fulfilled_twice: { 'the order is paid': [...bought, record({ fulfilments: 2 })] },
  shop_exited: { 'a process exits': [{ type: 'exited', reason: 'SyntaxError' }] },
  secret_exposed: {
    'a page contains a clientSecret': [handoff(), response('/', { body: 'pi_1_secret_x' })],
    'a header of the handoff contains a clientSecret': [
      begin,
      handoff(),
      response('/checkout/handoff', { head: 'x: pi_1_secret_x' }),
    ],
    'the handoff contains the API key': [
      begin,
      response('/checkout/handoff', { body: 'pi_sk_test_1' }),
    ],
    'the shop prints a clientSecret': [handoff(), output(['pi_1_secret_x'])],
    'a clientSecret is in an address': [output([], ['secret_in_url'])],
  },
  not_payable: {
    'a failed order gets no handoff': [handoff(), stage('retry'), noHandoff],
    'a failed order gets the failed intent': [handoff(), stage('retry'), handoff(failed)],
  },
  payment_lost: {
    'the record of a paid order is open': [...bought, stage('away'), record({ state: 'open' })],
    'the shop has no record of a paid order': [
      ...bought,
      stage('away'),
      record({ state: 'missing' }),
    ],
    'the record of a paid order is under review': [
      ...bought,
      stage('away'),
      record({ state: 'review' }),
    ],
    'a buyer who is back sees no payment': [...bought, stage('back'), status('open', 'O')],
  },
  paid_unreviewed: {
    'two versions are paid, and none is under review': [
      ...boughtTwice,
      stage('away'),
      record({ state: 'paid', reviews: [] }),
    ],
  },
  not_fulfilled: {
    'an order is paid': [...bought, stage('back'), record({ state: 'paid', fulfilments: 0 })],
  },
  nothing: {
    'a reload gets the same intent': [order(), handoff(), order(), handoff(), has(paid)],
    'another purchase follows a status that is paid': [
      ...bought,
      status('paid', 'O'),
      order(900, 'P'),
      handoff(other),
      has(paid, paidOther),
    ],
    'another purchase follows a record that is paid': [
      ...bought,
      record({ state: 'paid' }),
      order(900, 'P'),
      handoff(other),
      has(paid, paidOther),
    ],
    'two versions of an order are paid': boughtTwice,
    'another intent replaces a failed one': [handoff(), has(failed), handoff(second)],
    'the handoff contains its clientSecret': [
      begin,
      handoff(),
      response('/checkout/handoff', { body: 'pi_1_secret_x' }),
    ],
    'a failed order gets another intent': [handoff(), stage('retry'), handoff(second)],
    'the record becomes paid': [
      ...bought,
      stage('away'),
      record({ state: 'open' }),
      record({ state: 'paid' }),
    ],
    'only the amount before an edit is paid, and it is under review': [
      handoff(),
      edit,
      has(paid),
      stage('away'),
      record({ state: 'review' }),
    ],
    'two versions are paid, and one is under review': [
      ...boughtTwice,
      stage('away'),
      record({ state: 'paid', reviews: ['pi_1'] }),
    ],
    'the order that was paid was left for another one, and the payment is under review': [
      ...bought,
      order(900, 'P'),
      stage('away'),
      record({ state: 'open', reviews: ['pi_1'] }),
    ],
    'a buyer who is back sees the payment': [...bought, stage('back'), status('paid', 'O')],
    'the adapter reads no records': [...bought, stage('away')],
  },
}

for (const [rule, cases] of Object.entries(logs)) {
  test.each(Object.entries(cases))(`${rule}: %s`, (_, events) => {
    expect(violationIn(events)?.rule ?? 'nothing').toBe(rule)
  })
}

test('only what a shop has to do in the end may still settle', () => {
  expect(violationIn([...bought, record({ fulfilments: 2 })])?.maySettle).toBe(false)
  expect(violationIn([...bought, stage('away'), record({ state: 'open' })])?.maySettle).toBe(true)
})

test('a violation contains no secret', () => {
  const lines = ['key pi_sk_test_1, pi_1_secret_x']
  const violation = violationIn([begin, handoff(), output(lines)])
  expect(violation?.detail).toMatch(/^The shop printed a secret: key \[secret\], \[secret\] /)
})
