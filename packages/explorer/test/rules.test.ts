import { expect, test } from 'vitest'
import type { Event, Intent, Stage } from '../src/events.ts'
import { type Rule, unsettledIn, violationIn } from '../src/rules.ts'

// Parts of a log. Buyer A has order O of 900 AMD, and intent pi_1 of it.
const intent = (given: Partial<Intent> = {}): Intent => ({
  ...{ id: 'pi_1', orderId: 'O', amount: 900, currency: 'AMD', status: 'requires_payment_method' },
  ...given,
})
const paid = intent({ status: 'succeeded' })
const second = intent({ id: 'pi_2' })
const paidSecond = intent({ id: 'pi_2', status: 'succeeded' })

const order = (amount = 900, isEdited = false, orderId = 'O'): Event => ({
  ...{ type: 'order', buyer: 'A', isEdited },
  order: { orderId, amount, currency: 'AMD' },
})
const handoff = (given = intent(), buyer = 'A', before: readonly Intent[] = []): Event => ({
  ...{ type: 'handoff', buyer, intent: given, clientSecret: `${given.id}_secret_x`, before },
})
const status = (phase: string, intents: readonly Intent[] = [], buyer = 'A', orderId = 'O') =>
  ({ type: 'status', buyer, orderId, phase, intents }) satisfies Event
const record = (stored: object, intents: readonly Intent[] = []): Event => ({
  ...{ type: 'record', buyer: 'A', orderId: 'O', intents },
  ...{ state: undefined, reviews: undefined, fulfilments: undefined, ...stored },
})
const has = (...intents: Intent[]): Event => ({ type: 'intents', intents })
const stage = (name: Stage): Event => ({ type: 'stage', stage: name })
const response = (path: string, given: object): Event => ({
  ...{ type: 'response', buyer: 'A', method: 'GET', path, status: 200, isOfBuyer: true },
  ...{ head: '', body: '', ...given },
})
const output = (lines: readonly string[] = [], lint: readonly string[] = []): Event => ({
  ...{ type: 'output', lines, lint },
})

const logOf = (events: readonly Event[]) => ({
  ...{ apiKey: 'pi_sk_test_1', handoffPath: '/checkout/handoff', events },
})

const wrong: readonly (readonly [title: string, rule: Rule, events: readonly Event[]])[] = [
  [
    'two intents of one order are paid',
    'double_payment',
    [order(), handoff(), handoff(second), has(paid, paidSecond)],
  ],
  [
    'two orders of one purchase are paid',
    'double_payment',
    [
      handoff(),
      handoff(intent({ id: 'pi_2', orderId: 'P' })),
      has(paid, { ...paidSecond, orderId: 'P' }),
    ],
  ],
  [
    'a handoff gives another intent while one is processing',
    'double_payment',
    [handoff(), handoff(second, 'A', [intent({ status: 'processing' })])],
  ],
  [
    'a buyer gets the intent of another buyer',
    'session_mixed',
    [handoff(), handoff(intent(), 'B')],
  ],
  [
    "a buyer is told that another buyer's order is paid",
    'session_mixed',
    [handoff(), status('paid', [paid], 'B')],
  ],
  ['an intent has the forged amount', 'price_from_browser', [handoff(intent({ amount: 7 }))]],
  ['an intent has another amount than its order', 'wrong_price', [order(1500), handoff()]],
  [
    'an intent has another currency than its order',
    'wrong_price',
    [order(), handoff(intent({ currency: 'USD' }))],
  ],
  [
    'the status is paid without a payment',
    'false_paid',
    [order(), handoff(), status('paid', [intent()])],
  ],
  [
    'the status is paid, and an earlier amount was paid',
    'false_paid',
    [order(), handoff(), order(1500, true), status('paid', [paid])],
  ],
  ['the record is paid without a payment', 'false_paid', [handoff(), record({ state: 'paid' })]],
  [
    'the record is paid, and an earlier amount was paid',
    'false_paid',
    [order(), handoff(), order(1500, true), record({ state: 'paid' }, [paid])],
  ],
  ['an unpaid order is fulfilled', 'fulfilled_unpaid', [handoff(), record({ fulfilments: 1 })]],
  [
    'an order is fulfilled twice',
    'fulfilled_twice',
    [handoff(), record({ fulfilments: 2 }, [paid])],
  ],
  ['a process exits', 'shop_exited', [{ type: 'exited', reason: 'SyntaxError' }]],
  [
    'a page contains a clientSecret',
    'secret_exposed',
    [handoff(), response('/', { body: 'pi_1_secret_x' }), output()],
  ],
  [
    'a header of the handoff contains a clientSecret',
    'secret_exposed',
    [handoff(), response('/checkout/handoff', { head: 'x: pi_1_secret_x' }), output()],
  ],
  [
    'a handoff contains the API key',
    'secret_exposed',
    [response('/checkout/handoff', { body: 'pi_sk_test_1' }), output()],
  ],
  ['the shop prints a clientSecret', 'secret_exposed', [handoff(), output(['is pi_1_secret_x'])]],
  ['a clientSecret is in an address', 'secret_exposed', [output([], ['secret_in_url'])]],
]

test.each(wrong)('%s: %s', (_, rule, events) => {
  expect(violationIn(logOf(events))?.rule).toBe(rule)
})

test('a violation names no secret', () => {
  const detail = violationIn(
    logOf([handoff(), output(['key pi_sk_test_1, pi_1_secret_x'])]),
  )?.detail
  expect(detail).toBe('The shop printed a secret: key [secret], [secret]')
})

const right: readonly (readonly [title: string, events: readonly Event[]])[] = [
  ['a reload gets the same intent', [order(), handoff(), order(), handoff(), has(paid)]],
  [
    'a second order is bought after the first was paid',
    [
      ...[order(), handoff(), status('paid', [paid]), order(900, false, 'P')],
      ...[
        handoff(intent({ id: 'pi_2', orderId: 'P' })),
        has(paid, { ...paidSecond, orderId: 'P' }),
      ],
    ],
  ],
  [
    'a killed shop stored that the first order is paid, and its page shows another',
    [
      ...[order(), handoff(), { type: 'killed' } as const, record({ state: 'paid' }, [paid])],
      ...[order(900, false, 'P'), handoff(intent({ id: 'pi_2', orderId: 'P' }))],
      has(paid, { ...paidSecond, orderId: 'P' }),
    ],
  ],
  [
    'two versions of one order are paid',
    [
      ...[order(), handoff(), order(1500, true), handoff(intent({ id: 'pi_2', amount: 1500 }))],
      has(paid, { ...paidSecond, amount: 1500 }),
    ],
  ],
  [
    'a failed intent is replaced',
    [handoff(), handoff(second, 'A', [intent({ status: 'failed' })])],
  ],
  [
    'a shop without order ids answers about the session',
    [handoff(), { ...status('paid', [paid]), orderId: undefined }],
  ],
  [
    'a handoff contains its clientSecret',
    [...[handoff(), response('/checkout/handoff', { body: 'pi_1_secret_x' }), output()]],
  ],
]

test.each(right)('finds nothing if %s', (_, events) => {
  expect(violationIn(logOf(events))).toBeUndefined()
})

const open = [order(), handoff()]
const edited = [...open, order(1500, true), handoff(intent({ id: 'pi_2', amount: 1500 }))]
const bothPaid = has(paid, { ...paidSecond, amount: 1500 })
const bought = [...open, has(paid)]

const settling: readonly (readonly [string, Rule | 'nothing', readonly Event[]])[] = [
  [
    'a failed order gets no handoff',
    'not_payable',
    [...[...open, stage('retry'), { type: 'no-handoff', buyer: 'A', status: 409 } as const]],
  ],
  [
    'a failed order gets the failed intent',
    'not_payable',
    [...[...open, stage('retry'), handoff(intent({ status: 'failed' }))]],
  ],
  ['a failed order gets another intent', 'nothing', [...open, stage('retry'), handoff(second)]],
  [
    'the record of a paid order is open',
    'payment_lost',
    [...[...bought, stage('away'), record({ state: 'open' }, [paid])]],
  ],
  [
    'the record of a paid order becomes paid',
    'nothing',
    [
      ...[
        ...bought,
        stage('away'),
        record({ state: 'open' }, [paid]),
        record({ state: 'paid' }, [paid]),
      ],
    ],
  ],
  [
    'only an earlier version is paid, and under review',
    'nothing',
    [
      ...[
        ...edited,
        has(paid),
        stage('away'),
        record({ state: 'review', reviews: ['pi_1'] }, [paid]),
      ],
    ],
  ],
  [
    'two versions are paid, and none is under review',
    'paid_unreviewed',
    [...[...edited, bothPaid, stage('away'), record({ state: 'paid', reviews: [] })], bothPaid],
  ],
  [
    'two versions are paid, and one is under review',
    'nothing',
    [
      ...[...edited, bothPaid, stage('away'), record({ state: 'paid', reviews: ['pi_1'] })],
      bothPaid,
    ],
  ],
  [
    'a buyer who comes back sees no payment',
    'payment_lost',
    [...[...bought, stage('back'), status('open', [paid])]],
  ],
  [
    'a buyer who comes back sees the payment',
    'nothing',
    [...[...bought, stage('back'), status('open', [paid]), status('paid', [paid])]],
  ],
  [
    'a paid order is not fulfilled',
    'not_fulfilled',
    [...[...bought, stage('back'), record({ fulfilments: 0 }, [paid])]],
  ],
  ['an adapter reads no records', 'nothing', [...bought, stage('away'), stage('back')]],
]

test.each(settling)('in the end, %s: %s', (_, rule, events) => {
  expect(unsettledIn(logOf(events))?.rule ?? 'nothing').toBe(rule)
})
