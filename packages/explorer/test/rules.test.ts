import { expect, test } from 'vitest'
import type { Event, Intent, Stage } from '../src/events.ts'
import { type Rule, unsettledIn, violationIn } from '../src/rules.ts'

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
const handoff = (given = intent(), buyer = 'A', ...before: Intent[]): Event => {
  return { type: 'handoff', buyer, intent: given, clientSecret: `${given.id}_secret_x`, before }
}
const noHandoff: Event = { type: 'no-handoff', buyer: 'A', status: 409 }
const status = (phase: string, intents: Intent[], buyer = 'A', orderId?: string): Event => {
  return { type: 'status', buyer, orderId, phase, intents }
}
const record = (stored: object, ...intents: Intent[]): Event => {
  const nothing = { state: undefined, reviews: undefined, fulfilments: undefined }
  return { type: 'record', buyer: 'A', orderId: 'O', ...nothing, ...stored, intents }
}
const has = (...intents: Intent[]): Event => ({ type: 'intents', intents })
const stage = (name: Stage): Event => ({ type: 'stage', stage: name })
const response = (path: string, received: { head?: string; body?: string }): Event => {
  const sent = { buyer: 'A', method: 'GET', path, isOfBuyer: true }
  return { type: 'response', ...sent, status: 200, head: '', body: '', ...received }
}
const output = (lines: string[] = [], lint: string[] = []): Event => ({
  type: 'output',
  lines,
  lint,
})
const killed: Event = { type: 'killed' }
const exited: Event = { type: 'exited', reason: 'SyntaxError' }

const logOf = (events: readonly Event[]) => {
  return { apiKey: 'pi_sk_test_1', handoffPath: '/checkout/handoff', events }
}

type Logs = Readonly<Record<string, readonly Event[]>>

const broken: Partial<Record<Rule, Logs>> = {
  double_payment: {
    'two intents of an order are paid': [handoff(), handoff(second), has(paid, paidSecond)],
    'two orders of one purchase are paid': [handoff(), handoff(other), has(paid, paidOther)],
    'an order gets another intent while one is paid': [handoff(), handoff(second, 'A', paid)],
  },
  session_mixed: {
    'a buyer gets the intent of another buyer': [handoff(), handoff(intent(), 'B')],
    'a buyer sees that the order of another is paid': [
      order(),
      handoff(),
      status('paid', [paid], 'B', 'O'),
    ],
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
    'the status is paid without a payment': [handoff(), status('paid', [intent()])],
    'the status is paid, and only the amount before an edit was': [
      handoff(),
      edit,
      status('paid', [paid]),
    ],
    'the record is paid without a payment': [handoff(), record({ state: 'paid' }, intent())],
    'the record is paid, and only the amount before an edit was': [
      handoff(),
      edit,
      record({ state: 'paid' }, paid),
    ],
  },
  fulfilled_unpaid: { 'the payment failed': [handoff(), record({ fulfilments: 1 }, failed)] },
  fulfilled_twice: { 'the order is paid': [handoff(), record({ fulfilments: 2 }, paid)] },
  shop_exited: { 'a process exits': [exited] },
  secret_exposed: {
    'a page contains a clientSecret': [
      handoff(),
      response('/', { body: 'pi_1_secret_x' }),
      output(),
    ],
    'a header of the handoff contains a clientSecret': [
      handoff(),
      response('/checkout/handoff', { head: 'x: pi_1_secret_x' }),
      output(),
    ],
    'the handoff contains the API key': [
      response('/checkout/handoff', { body: 'pi_sk_test_1' }),
      output(),
    ],
    'the shop prints a clientSecret': [handoff(), output(['pi_1_secret_x'])],
    'a clientSecret is in an address': [output([], ['secret_in_url'])],
  },
}

const right: Logs = {
  'a reload gets the same intent': [order(), handoff(), order(), handoff(), has(paid)],
  'another purchase follows a status that is paid': [
    order(),
    handoff(),
    status('paid', [paid], 'A', 'O'),
    order(900, 'P'),
    handoff(other),
    has(paid, paidOther),
  ],
  'another purchase follows a record that is paid, after the shop was killed': [
    order(),
    handoff(),
    killed,
    record({ state: 'paid' }, paid),
    order(900, 'P'),
    handoff(other),
    has(paid, paidOther),
  ],
  'two versions of an order are paid': [handoff(), edit, handoff(edited), has(paid, paidEdited)],
  'another intent replaces a failed one': [handoff(), handoff(second, 'A', failed)],
  'the handoff contains its clientSecret': [
    handoff(),
    response('/checkout/handoff', { body: 'pi_1_secret_x' }),
    output(),
  ],
}

const bought = [order(), handoff(), has(paid)]
const boughtTwice = [handoff(), edit, handoff(edited), has(paid, paidEdited)]

const settling: Partial<Record<Rule | 'nothing', Logs>> = {
  not_payable: {
    'a failed order gets no handoff': [handoff(), stage('retry'), noHandoff],
    'a failed order gets the failed intent': [handoff(), stage('retry'), handoff(failed)],
  },
  payment_lost: {
    'the record of a paid order is open': [
      ...bought,
      stage('away'),
      record({ state: 'open' }, paid),
    ],
    'the shop has no record of a paid order': [
      ...bought,
      stage('away'),
      record({ state: 'missing' }, paid),
    ],
    'a buyer who is back sees no payment': [
      ...bought,
      stage('back'),
      status('open', [paid], 'A', 'O'),
    ],
  },
  paid_unreviewed: {
    'two versions are paid, and none is under review': [
      ...boughtTwice,
      stage('away'),
      record({ reviews: [] }, paid, paidEdited),
    ],
  },
  not_fulfilled: {
    'an order is paid': [...bought, stage('back'), record({ fulfilments: 0 }, paid)],
  },
  nothing: {
    'a failed order gets another intent': [handoff(), stage('retry'), handoff(second)],
    'the record becomes paid': [
      ...bought,
      stage('away'),
      record({ state: 'open' }, paid),
      record({ state: 'paid' }, paid),
    ],
    'only the amount before an edit is paid, and it is under review': [
      handoff(),
      edit,
      has(paid),
      stage('away'),
      record({ state: 'review' }, paid),
    ],
    'two versions are paid, and one is under review': [
      ...boughtTwice,
      stage('away'),
      record({ reviews: ['pi_1'] }, paid, paidEdited),
    ],
    'a buyer who is back sees the payment': [
      ...bought,
      stage('back'),
      status('paid', [paid], 'A', 'O'),
    ],
    'the adapter reads no records': [...bought, stage('away')],
  },
}

for (const [rule, logs] of Object.entries(broken)) {
  test.each(Object.entries(logs))(`${rule}: %s`, (_, events) => {
    expect(violationIn(logOf(events))?.rule).toBe(rule)
  })
}

test.each(Object.entries(right))('no violation: %s', (_, events) => {
  expect(violationIn(logOf(events))).toBeUndefined()
})

for (const [rule, logs] of Object.entries(settling)) {
  test.each(Object.entries(logs))(`in the end, ${rule}: %s`, (_, events) => {
    expect(unsettledIn(logOf(events))?.rule ?? 'nothing').toBe(rule)
  })
}

test('a violation contains no secret', () => {
  const violation = violationIn(logOf([handoff(), output(['key pi_sk_test_1, pi_1_secret_x'])]))
  expect(violation?.detail).toBe('The shop printed a secret: key [secret], [secret]')
})
