import { expect, test } from 'vitest'
import { CheckoutError } from '../src/errors.ts'
import {
  next,
  noPayment,
  type Payment,
  type PaymentEvent,
  type Source,
} from '../src/payment-state.ts'

const source = { requests: true, follows: true, hasHandoff: false }
const A: Source = { ...source, orderId: 'A' }
const B: Source = { ...source, orderId: 'B' }
const session: Source = source
const formOnly: Source = { ...source, follows: false }
const wrongPath: Source = { ...A, error: new CheckoutError('invalid_base_path') }
const one = { id: 'pi_1', clientSecret: 'x' }
const two = { id: 'pi_2', clientSecret: 'y' }
const error = (code: ConstructorParameters<typeof CheckoutError>[0]) => new CheckoutError(code)

/** Events by name. They carry the turn of what is running. */
const events: Record<string, (payment: Payment) => PaymentEvent> = {
  A: () => ({ type: 'set', source: A, change: 'another' }),
  B: () => ({ type: 'set', source: B, change: 'another' }),
  session: () => ({ type: 'set', source: session, change: 'another' }),
  formOnly: () => ({ type: 'set', source: formOnly, change: 'another' }),
  wrongPath: () => ({ type: 'set', source: wrongPath, change: 'another' }),
  waits: () => ({ type: 'set', source: undefined, change: 'another' }),
  nothing: () => ({ type: 'set', source: undefined, change: 'end' }),
  function: ({ source: last }) => ({ type: 'set', source: last, change: 'maybe' }),
  removed: () => ({ type: 'removed' }),
  again: () => ({ type: 'again' }),
  visible: () => ({ type: 'visible' }),
  online: () => ({ type: 'online' }),
  delay: ({ wait = 0 }) => ({ type: 'delay', turn: wait }),
  retry: (payment) => ({ type: 'retry', turn: requestOf(payment, 'retry') }),
  handoff: (payment) => handoff(requestOf(payment, 'handoff'), { handoff: one }),
  two: (payment) => handoff(requestOf(payment, 'handoff'), { handoff: two }),
  ofA: (payment) => handoff(requestOf(payment, 'handoff'), { handoff: one, orderId: 'A' }),
  ofB: (payment) => handoff(requestOf(payment, 'handoff'), { handoff: one, orderId: 'B' }),
  checkedSame: ({ check = 0 }) => handoff(check, { handoff: one }),
  checkedOther: ({ check = 0 }) => handoff(check, { handoff: two }),
  refused: (payment) => ({
    type: 'refused',
    turn: requestOf(payment, 'handoff'),
    error: error('handoff_failed'),
  }),
  refusedB: (payment) => ({ ...events.refused?.(payment), orderId: 'B' }) as PaymentEvent,
  failed: (payment) => ({
    type: 'failed',
    turn: requestOf(payment, 'handoff'),
    error: error('handoff_failed'),
  }),
  noStatus: (payment) => ({
    type: 'failed',
    turn: requestOf(payment, 'status'),
    error: error('status_failed'),
  }),
  ...Object.fromEntries(
    (['open', 'processing', 'paid', 'failed', 'review', 'unknown'] as const).map((phase) => [
      `=${phase}`,
      (payment: Payment) => ({
        type: 'phase',
        turn: requestOf(payment, 'status'),
        report: { phase },
      }),
    ]),
  ),
  '=paidB': (payment) => ({
    type: 'phase',
    turn: requestOf(payment, 'status'),
    report: { phase: 'paid', orderId: 'B' },
  }),
  ...Object.fromEntries(
    (['hello', 'ready', 'finish', 'cancel'] as const).map((type) => [
      type,
      ({ frame = 0 }: Payment) => ({ type, turn: frame }),
    ]),
  ),
  busy: ({ frame = 0 }) => ({ type: 'busy', on: true, turn: frame }),
  idle: ({ frame = 0 }) => ({ type: 'busy', on: false, turn: frame }),
  internal: ({ frame = 0 }) => ({ type: 'fail', error: error('internal'), turn: frame }),
  offline: ({ frame = 0 }) => ({ type: 'fail', error: error('offline'), turn: frame }),
  rejected: ({ frame = 0 }) => ({ type: 'fail', error: error('unauthorized'), turn: frame }),
  unregistered: ({ frame = 0 }) => ({
    type: 'fail',
    error: error('origin_not_allowed'),
    turn: frame,
  }),
}

function handoff(turn: number, fields: object): PaymentEvent {
  return { type: 'handoff', turn, ...fields } as PaymentEvent
}

/** `-1` if no such request runs. */
function requestOf({ request }: Payment, kind: string): number {
  return request?.kind === kind ? request.turn : -1
}

function play(names: string): Payment {
  return names.split(' ').reduce((payment, name) => {
    const event = events[name]?.(payment)
    if (!event) throw new TypeError(name)
    return next(payment, event)
  }, noPayment)
}

/** Returns the state with what is running and what is known. */
function summary({
  name,
  frame,
  request,
  handoff,
  orderId,
  error: failure,
  check,
}: Payment): string {
  const parts = [name, frame && `frame of ${handoff?.id}`, request?.kind, check && 'check']
  return [...parts, orderId && `for ${orderId}`, name === 'error' && failure?.code]
    .filter(Boolean)
    .join(', ')
}

const loading = 'loading, handoff, for A'
const following = 'confirming, frame of pi_1, status, for A'

test.each([
  ['A', loading],
  ['waits', 'idle'],
  ['A waits', 'idle'],
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
  ['A handoff ready cancel =failed visible', 'failed, status, for A'],
  ['A handoff ready cancel =failed visible =failed', 'failed, for A'],
  ['A handoff ready cancel =failed visible =paid', 'paid, for A'],
  ['A refused =paid visible', 'paid, for A'],
  ['A refused =paid again', loading],
  // Failures of the frame.
  ['A handoff internal', 'loading, retry, for A'],
  ['A handoff internal retry', 'loading, frame of pi_1, for A'],
  ['A handoff internal retry internal', 'error, for A, internal'],
  ['A handoff internal retry internal again', 'loading, frame of pi_1, for A'],
  ['A handoff offline retry offline online', 'loading, frame of pi_1, for A'],
  ['A handoff internal retry internal online', 'error, for A, internal'],
  ['A handoff unregistered', 'error, for A, origin_not_allowed'],
  ['A handoff rejected', 'loading, status, for A'],
  ['A handoff rejected =paid', 'paid, for A'],
  ['A handoff rejected =open', loading],
  ['A handoff rejected =open handoff rejected', 'error, for A, unauthorized'],
  ['A handoff rejected =open handoff rejected again', loading],
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
  ['A handoff ready busy B removed', 'idle, for B'],
  ['A handoff ready busy B removed again', 'loading, handoff, for B'],
  ['A handoff ready busy waits finish', 'idle'],
  ['A handoff ready busy nothing', 'idle'],
  ['A handoff ready finish B', 'loading, handoff, for B'],
  ['A refused =processing B', 'loading, handoff, for B'],
  ['A refused =paid B', 'loading, handoff, for B'],
  ['A failed B', 'loading, handoff, for B'],
  ['wrongPath A', loading],
  // Another function, which may be for another order.
  ['session function', 'loading, handoff'],
  ['session handoff ready function', 'ready, frame of pi_1, check'],
  ['session handoff ready function checkedSame', 'ready, frame of pi_1'],
  ['session handoff ready function checkedOther', 'loading, handoff'],
  ['session handoff ready busy function', 'busy, frame of pi_1'],
  ['session handoff ready busy function idle checkedOther', 'loading, handoff'],
  ['session handoff ready function busy checkedOther', 'busy, frame of pi_1'],
  ['session handoff ready function busy checkedOther idle', 'loading, handoff'],
  ['session handoff ready finish =paid function checkedOther', 'loading, handoff'],
  ['session failed function', 'loading, handoff'],
  // Insertions.
  ['A handoff ready removed', 'idle, for A'],
  ['A handoff ready removed again', 'loading, frame of pi_1, for A'],
  ['A refused =paid removed again', loading],
])('%s: %s', (names, expected) => {
  expect(summary(play(names))).toBe(expected)
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
  const keyOf = ({ turn: _, frame, request, check, wait, ...rest }: Payment): string =>
    JSON.stringify([
      rest,
      frame !== undefined,
      request?.kind,
      check !== undefined,
      wait !== undefined,
    ])
  const found = new Map([[keyOf(noPayment), noPayment]])
  for (const payment of found.values()) {
    for (const create of Object.values(events)) {
      const after = next(payment, create(payment))
      if (!found.has(keyOf(after))) found.set(keyOf(after), after)
    }
  }
  return [...found.values()]
}

test('in every reachable state each wait ends, and old messages change nothing', () => {
  const all = reachable()
  expect(all.length).toBeGreaterThan(100)
  for (const payment of all) {
    const { name, frame, request, handoff: mounted, source: from, wait } = payment
    // What a state waits for is running.
    const runs = { loading: frame ?? request, confirming: request, processing: request }[
      name as string
    ]
    if (['loading', 'confirming', 'processing'].includes(name))
      expect(runs, summary(payment)).toBeDefined()
    if (['ready', 'busy', 'finished'].includes(name)) expect(frame, summary(payment)).toBeDefined()
    if (['paid', 'review', 'failed', 'processing'].includes(name)) expect(frame).toBeUndefined()
    if (frame !== undefined) expect(mounted).toBeDefined()
    expect(wait !== undefined).toBe(name === 'loading' || name === 'confirming')
    // Nothing is for another order than the page's, unless a payment is in progress.
    if (from?.orderId !== undefined && name !== 'idle') expect(payment.orderId).toBe(from.orderId)
    if (payment.pending) expect(name === 'busy' || name === 'loading', summary(payment)).toBe(true)
    for (const create of Object.values(events)) {
      const event = create(payment)
      if ('turn' in event) expect(next(payment, { ...event, turn: -1 })).toBe(payment)
    }
  }
})
