import { expect, test } from 'vitest'
import { CheckoutError } from '../src/errors.ts'
import {
  next,
  noPayment,
  type Payment,
  type PaymentEvent,
  type Source,
} from '../src/payment-state.ts'

const one = { id: 'pi_1', clientSecret: 'x' }
const functions = { fetchHandoff: async () => one, fetchStatus: async () => ({ phase: 'open' }) }
const session = { key: ['session'], ...functions } as Source
const A: Source = { ...session, key: ['A'], orderId: 'A' }
const B: Source = { ...session, key: ['B'], orderId: 'B' }
const formOnly: Source = { key: ['formOnly'], fetchHandoff: functions.fetchHandoff }
const wrongPath: Source = { ...A, key: ['/'], error: new CheckoutError('invalid_base_path') }
const set = (source?: Source) => (): PaymentEvent => ({ type: 'set', source })

/** `-1` if no such request runs. */
const turnOf = ({ request }: Payment, kind: string): number =>
  request?.kind === kind ? request.turn : -1
const handoff =
  (fields = {}) =>
  (payment: Payment): PaymentEvent => ({
    type: 'handoff',
    turn: turnOf(payment, 'handoff'),
    handoff: { ...one, ...fields },
  })
const phase =
  (report: object) =>
  (payment: Payment): PaymentEvent =>
    ({ type: 'phase', turn: turnOf(payment, 'status'), report }) as PaymentEvent
const failed =
  (code: 'handoff_failed' | 'status_failed', cause?: object) =>
  (payment: Payment): PaymentEvent => ({
    type: 'failed',
    turn: turnOf(payment, code === 'handoff_failed' ? 'handoff' : 'status'),
    error: new CheckoutError(code, { cause }),
  })
const paid = { code: 'order_already_paid' }
const frame =
  (fields: object) =>
  ({ frame: turn = -1 }: Payment): PaymentEvent =>
    ({ turn, ...fields }) as PaymentEvent
const fail = (code: ConstructorParameters<typeof CheckoutError>[0]) =>
  frame({ type: 'fail', error: new CheckoutError(code) })

/** Events by name. They carry the turn of what is running. */
const events: Record<string, (payment: Payment) => PaymentEvent> = {
  A: set(A),
  B: set(B),
  session: set(session),
  formOnly: set(formOnly),
  wrongPath: set(wrongPath),
  nothing: set(),
  removed: () => ({ type: 'removed' }),
  again: () => ({ type: 'again' }),
  wake: () => ({ type: 'wake' }),
  delay: () => ({ type: 'delay' }),
  handoff: handoff(),
  ofA: handoff({ orderId: 'A' }),
  ofB: handoff({ orderId: 'B' }),
  refused: failed('handoff_failed', paid),
  refusedB: failed('handoff_failed', { ...paid, orderId: 'B' }),
  failed: failed('handoff_failed'),
  noStatus: failed('status_failed', paid),
  '=open': phase({ phase: 'open' }),
  '=processing': phase({ phase: 'processing' }),
  '=unknown': phase({ phase: 'unknown' }),
  '=paid': phase({ phase: 'paid' }),
  '=review': phase({ phase: 'review' }),
  '=failed': phase({ phase: 'failed' }),
  '=paidB': phase({ phase: 'paid', orderId: 'B' }),
  hello: frame({ type: 'hello' }),
  ready: frame({ type: 'ready' }),
  busy: frame({ type: 'busy', on: true }),
  idle: frame({ type: 'busy', on: false }),
  finish: frame({ type: 'finish' }),
  cancel: frame({ type: 'cancel' }),
  internal: fail('internal'),
  offline: fail('offline'),
  rejected: fail('unauthorized'),
  unregistered: fail('origin_not_allowed'),
}

function play(names: string): Payment {
  return names.split(' ').reduce((payment, name) => {
    const event = events[name]?.(payment)
    if (!event) throw new TypeError(name)
    return next(payment, event)
  }, noPayment)
}

/** Returns the state with what is running and what is known. */
function summary({ name, frame, request, handoff, orderId, error }: Payment): string {
  const parts = [name, frame && `frame of ${handoff?.id}`, request?.kind]
  return [...parts, orderId && `for ${orderId}`, name === 'error' && error?.code]
    .filter(Boolean)
    .join(', ')
}

const loading = 'loading, handoff, for A'
const following = 'confirming, frame of pi_1, status, for A'

test.each([
  ['A', loading],
  ['nothing', 'idle'],
  ['A nothing', 'idle'],
  ['wrongPath', 'error, for A, invalid_base_path'],
  ['wrongPath again', 'error, for A, invalid_base_path'],
  ['A handoff', 'loading, frame of pi_1, for A'],
  ['A ofA ready', 'ready, frame of pi_1, for A'],
  ['A ofB', 'error, for A, order_mismatch'],
  ['session ofA', 'loading, frame of pi_1, for A'],
  ['A failed', 'error, for A, handoff_failed'],
  ['A failed again', loading],
  ['A handoff ready busy', 'busy, frame of pi_1, for A'],
  ['A handoff ready busy idle', 'ready, frame of pi_1, for A'],
  ['A handoff ready hello ready', 'ready, frame of pi_1, for A'],
  // The form ends: the server knows the result.
  ['A handoff ready busy finish', following],
  ['A handoff ready cancel', following],
  ['A handoff finish hello finish', following],
  ['A handoff ready finish ready', 'ready, frame of pi_1, for A'],
  ['A handoff ready finish internal', 'confirming, status, for A'],
  ['A handoff ready finish =paid', 'paid, for A'],
  ['A handoff ready finish =review', 'review, for A'],
  ['A handoff ready finish =failed', 'failed, for A'],
  ['A handoff ready finish =processing', 'processing, status, for A'],
  ['A handoff ready finish =unknown', 'processing, status, for A'],
  ['A handoff ready finish =processing =paid', 'paid, for A'],
  ['A handoff ready finish =paidB', 'error, frame of pi_1, for A, order_mismatch'],
  ['formOnly handoff ready finish', 'finished, frame of pi_1'],
  ['formOnly handoff ready cancel', 'finished, frame of pi_1'],
  // A status without a result keeps what the frame shows.
  ['A handoff ready finish noStatus', 'error, frame of pi_1, for A, status_failed'],
  ['A handoff ready finish noStatus again', following],
  ['A handoff ready finish noStatus internal', 'error, for A, status_failed'],
  // An open payment is handed out again, once.
  ['A handoff ready finish =open', loading],
  ['A handoff ready finish =open handoff ready', 'ready, frame of pi_1, for A'],
  [
    'A handoff ready finish =open handoff finish =open',
    'error, frame of pi_1, for A, status_failed',
  ],
  ['A handoff ready finish =open handoff ready finish =open', loading],
  // A refused handoff is followed.
  ['A refused', 'confirming, status, for A'],
  ['A refused =paid', 'paid, for A'],
  ['A refusedB', 'error, for A, order_mismatch'],
  ['session refusedB', 'confirming, status, for B'],
  ['formOnly refused', 'error, handoff_failed'],
  // The next intent, and other tabs.
  ['A handoff ready cancel =failed again', loading],
  ['A handoff ready cancel =failed wake', 'failed, status, for A'],
  ['A handoff ready cancel =failed wake =failed', 'failed, for A'],
  ['A handoff ready cancel =failed wake =paid', 'paid, for A'],
  ['A refused =paid wake', 'paid, for A'],
  ['A refused =paid again', loading],
  // Failures of the frame.
  ['A handoff internal handoff internal', 'error, for A, internal'],
  ['A handoff internal handoff internal again', 'loading, frame of pi_1, for A'],
  ['A handoff offline handoff offline wake', 'loading, frame of pi_1, for A'],
  ['A handoff internal handoff internal wake', 'error, for A, internal'],
  ['A handoff unregistered', 'error, for A, origin_not_allowed'],
  ['A handoff rejected', 'loading, status, for A'],
  ['A handoff rejected =paid', 'paid, for A'],
  ['A handoff rejected =open', loading],
  ['A handoff rejected =open handoff rejected', 'error, for A, unauthorized'],
  ['A handoff rejected =open handoff rejected again', loading],
  // The buyer has submitted the form: only the server knows the result.
  ['A handoff ready busy internal', 'confirming, status, for A'],
  ['A handoff ready busy hello rejected', 'confirming, status, for A'],
  ['A handoff ready busy internal =open', loading],
  ['A handoff ready busy internal =open handoff internal =open', 'error, for A, status_failed'],
  ['A handoff ready busy idle internal', loading],
  ['A handoff ready busy hello ready internal', loading],
  ['formOnly handoff ready busy internal', 'loading, handoff'],
  ['formOnly handoff rejected', 'loading, handoff'],
  ['formOnly handoff rejected handoff rejected', 'error, unauthorized'],
  // Another order.
  ['A B', 'loading, handoff, for B'],
  ['A handoff B', 'loading, handoff, for B'],
  ['A handoff ready B', 'loading, handoff, for B'],
  ['A handoff ready busy B', 'busy, frame of pi_1, for A'],
  ['A handoff ready busy B idle', 'loading, handoff, for B'],
  ['A handoff ready busy B finish', 'loading, handoff, for B'],
  ['A handoff ready busy B internal', 'loading, handoff, for B'],
  ['A handoff ready busy B again', 'loading, handoff, for B'],
  ['A handoff ready busy B removed B', 'loading, handoff, for B'],
  ['A handoff ready busy nothing', 'busy, frame of pi_1, for A'],
  ['A handoff ready busy nothing finish', 'idle'],
  ['A handoff ready finish B', 'loading, handoff, for B'],
  ['A refused =processing B', 'loading, handoff, for B'],
  ['A refused =paid B', 'loading, handoff, for B'],
  ['A failed B', 'loading, handoff, for B'],
  ['wrongPath A', loading],
  // Back to the order that is being paid.
  ['A handoff ready busy B A finish', following],
  ['A handoff ready A', 'ready, frame of pi_1, for A'],
  // Insertions.
  ['A handoff ready removed', 'idle, for A'],
  ['A handoff ready removed A', 'loading, frame of pi_1, for A'],
  ['A refused =paid removed A', loading],
])('%s: %s', (names, expected) => {
  expect(summary(play(names))).toBe(expected)
})

test.each([
  ['A handoff ready cancel =open failed', false],
  ['formOnly handoff ready busy internal failed', true],
  ['A handoff ready busy internal =open failed', true],
  ['A handoff ready finish =open failed', true],
  ['A handoff ready finish =processing =paidB', true],
  ['A handoff ready finish =processing noStatus again failed', true],
  ['A handoff ready finish =paid again failed', true],
  ['A handoff ready finish =paid removed A failed', true],
  ['A refused noStatus again failed', true],
])('after %s the error says that the buyer may have paid: %s', (names, mayHavePaid) => {
  const { error, ...payment } = play(names)
  expect(error).toBeDefined()
  expect(payment.mayHavePaid ?? false).toBe(mayHavePaid)
})

test.each([
  ['A delay', 1],
  ['A delay handoff delay', 2],
  ['A delay handoff ready', 0],
  ['A delay delay again', 0],
  ['A handoff ready finish delay', 1],
  ['A handoff ready finish delay =processing', 0],
])('after %s the wait is that long: %i', (names, delay) => {
  expect(play(names).delay).toBe(delay)
})

/** Returns every state that events can lead to. Turns are compared by what they belong to. */
function reachable(): readonly Payment[] {
  const keyOf = ({ turn: _, intentId, delay, error, ...rest }: Payment): string => {
    const { frame, request, report, source, pending } = rest
    const known = {
      ...rest,
      report: report?.phase,
      source: source?.key,
      pending: pending?.source?.key,
    }
    return JSON.stringify({ ...known, frame: !!frame, request: request?.kind, code: error?.code })
  }
  const found = new Map([[keyOf(noPayment), noPayment]])
  for (const payment of found.values()) {
    for (const create of Object.values(events)) {
      const after = next(payment, create(payment))
      const key = keyOf(after)
      if (!found.has(key)) found.set(key, after)
    }
  }
  return [...found.values()]
}

test('in every reachable state each wait ends, and old messages change nothing', () => {
  const all = reachable()
  expect(all.length).toBeGreaterThan(100)
  for (const payment of all) {
    const { name, frame, request, handoff: known, source, pending } = payment
    const is = (...names: string[]): boolean => names.includes(name)
    const text = summary(payment)
    // What a state waits for is running.
    if (is('loading')) expect(frame ?? request, text).toBeDefined()
    if (is('confirming', 'processing')) expect(request, text).toBeDefined()
    if (is('ready', 'busy', 'finished')) expect(frame, text).toBeDefined()
    if (is('paid', 'review', 'failed', 'processing')) expect(frame, text).toBeUndefined()
    if (frame !== undefined) expect(known, text).toBeDefined()
    if (payment.mayHavePaid) expect(is('ready', 'failed'), text).toBe(false)
    expect(payment.error !== undefined, text).toBe(is('error'))
    // Nothing is for another order than the page's, unless a payment is in progress.
    if (source?.orderId && !is('idle')) expect(payment.orderId).toBe(source.orderId)
    if (pending) expect(is('busy', 'loading'), text).toBe(true)
    let isLate = false
    for (const create of Object.values(events)) {
      const event = create(payment)
      if ('turn' in event) isLate ||= next(payment, { ...event, turn: -1 }) !== payment
    }
    expect(isLate, text).toBe(false)
  }
})
