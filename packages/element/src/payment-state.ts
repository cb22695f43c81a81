/**
 * The payment of one order as the page knows it, and how each event leads to the next state.
 *
 * Requests, frames, and waits have a turn. A message of an earlier turn changes nothing.
 *
 * @module
 */
import type { PaymentPhase } from './client/fetch-status.ts'
import { CheckoutError } from './errors.ts'
import type { CheckoutState } from './events.ts'
import type { Handoff } from './handoff.ts'

/** Where handoff and result come from. */
export interface Source {
  /** `order-id`. Without one the session decides. */
  readonly orderId?: string | undefined
  /** A handoff can be requested. */
  readonly requests: boolean
  /** The status can be requested. */
  readonly follows: boolean
  /** The page has set a handoff. */
  readonly hasHandoff: boolean
  readonly error?: CheckoutError | undefined
}

/** What the server says about the payment. */
interface Report {
  readonly phase: PaymentPhase
  readonly reason?: string | undefined
  readonly orderId?: string | undefined
}

export interface Payment {
  readonly name: CheckoutState
  /** Number of the last turn. */
  readonly turn: number
  readonly source?: Source | undefined
  /** The order that `order-id` or a response has named. */
  readonly orderId?: string | undefined
  /** What a frame can be mounted from. */
  readonly handoff?: Handoff | undefined
  /** Id of the order's latest intent. */
  readonly intentId?: string | undefined
  /** Turn of the frame. */
  readonly frame?: number | undefined
  readonly request?:
    | { readonly kind: 'handoff' | 'status' | 'retry'; readonly turn: number }
    | undefined
  /** Turn of a request that finds out whether another function is another order. */
  readonly check?: number | undefined
  /** Turn in which the wait began that the page shows. */
  readonly wait?: number | undefined
  /** How long the wait is: 1 after four seconds, 2 after eight. */
  readonly delay: 0 | 1 | 2
  /** A handoff was requested because the last one was rejected or is open again. A usable form resets it. */
  readonly renewed: boolean
  /** The automatic retry was used. A page that is shown resets it. */
  readonly retried: boolean
  /** How the form ended, for a page that follows the payment itself. */
  readonly end?: 'finish' | 'cancel' | undefined
  readonly report?: Report | undefined
  readonly error?: CheckoutError | undefined
  /** Another source, which waits for the end of this payment. */
  readonly pending?: SetEvent | undefined
}

/** Another source. */
interface SetEvent {
  readonly type: 'set'
  readonly source: Source | undefined
  /** `end`: nothing is left. `maybe`: another function, perhaps for the same order. `same`: for the same order. */
  readonly change: 'end' | 'another' | 'maybe' | 'same'
}

export type PaymentEvent =
  | SetEvent
  /** The element was removed. */
  | { readonly type: 'removed' }
  /** `reload()`, "Try again", or another insertion. */
  | { readonly type: 'again' }
  /** The page is visible again. */
  | { readonly type: 'visible' }
  | { readonly type: 'online' }
  | (Turn & { readonly type: 'delay' | 'retry' })
  | (Turn & {
      readonly type: 'handoff'
      readonly handoff: Handoff
      readonly orderId?: string | undefined
    })
  /** The order has a payment: its status tells more. */
  | (Turn & {
      readonly type: 'refused'
      readonly error: CheckoutError
      readonly orderId?: string | undefined
    })
  | (Turn & { readonly type: 'failed'; readonly error: CheckoutError })
  | (Turn & { readonly type: 'phase'; readonly report: Report })
  | (Turn & { readonly type: 'hello' | 'ready' | 'finish' | 'cancel' })
  | (Turn & { readonly type: 'busy'; readonly on: boolean })
  | (Turn & { readonly type: 'fail'; readonly error: CheckoutError })

interface Turn {
  readonly turn: number
}

export const noPayment: Payment = {
  name: 'idle',
  turn: 0,
  delay: 0,
  renewed: false,
  retried: false,
}

/** Returns the payment after an event; the same one if the event changes nothing. */
export function next(payment: Payment, event: PaymentEvent): Payment {
  switch (event.type) {
    case 'set':
      return afterSet(payment, event)
    case 'removed': {
      const { source, orderId, handoff, intentId, turn } = payment
      const { source: pending } = payment.pending ?? {}
      if (payment.pending) return { ...noPayment, turn, source: pending, orderId: pending?.orderId }
      return { ...noPayment, turn, source, orderId, handoff, intentId }
    }
    case 'again':
      return again(payment)
    case 'visible':
      if (payment.name !== 'failed' || payment.request) return payment
      return payment.source?.follows ? { ...payment, ...requested(payment, 'status') } : payment
    case 'online':
      return payment.error?.code === 'offline' && payment.name === 'error'
        ? again(payment)
        : payment
    case 'delay':
      if (event.turn !== payment.wait) return payment
      return { ...payment, delay: payment.delay === 0 ? 1 : 2 }
    case 'retry':
      return event.turn === payment.request?.turn ? mounted(payment) : payment
    case 'handoff':
    case 'refused':
    case 'failed':
      if (event.turn === payment.check) return afterCheck(payment, event)
      return event.turn === payment.request?.turn ? afterRequest(payment, event) : payment
    case 'phase':
      return event.turn === payment.request?.turn ? afterPhase(payment, event.report) : payment
    default:
      return event.turn === payment.frame ? afterFrame(payment, event) : payment
  }
}

/** Starts over for another source, except that a payment that is in progress ends before. */
function afterSet(payment: Payment, event: SetEvent): Payment {
  const { source, change } = event
  if (change === 'same') return { ...payment, source }
  if (payment.name === 'busy' && change !== 'end') return { ...payment, pending: event }
  const isShown = payment.frame !== undefined || payment.report !== undefined
  if (change === 'maybe' && isShown) {
    const turn = payment.turn + 1
    return { ...payment, turn, source, check: turn }
  }
  const start = { ...noPayment, turn: payment.turn, source, orderId: source?.orderId }
  if (source?.error) return failed(start, source.error)
  return source?.requests || source?.hasHandoff ? loading(start, 'handoff') : start
}

/** Ends the wait for the end of a payment. */
function ended(payment: Payment): Payment {
  const { pending } = payment
  return pending ? afterSet({ ...payment, pending: undefined }, pending) : payment
}

function again(payment: Payment): Payment {
  const { source, handoff, pending } = payment
  if (pending) return afterSet({ ...noPayment, turn: payment.turn }, pending)
  const isEndShown = payment.name === 'error' && payment.frame !== undefined
  const turn = payment.turn + 1
  const start = { ...payment, ...fresh, ...waitOver, turn, renewed: false, retried: false }
  if (source?.error) return payment
  if (isEndShown) return following(start)
  if (handoff) return mounted({ ...start, name: 'loading', ...waited(start) })
  return source?.requests || source?.hasHandoff
    ? loading({ ...start, frame: undefined }, 'handoff')
    : payment
}

const fresh = {
  request: undefined,
  check: undefined,
  report: undefined,
  error: undefined,
  end: undefined,
} as const

/** Another function has returned. The same order stays as it is. */
function afterCheck(
  payment: Payment,
  event: Extract<PaymentEvent, { type: 'handoff' | 'refused' | 'failed' }>,
): Payment {
  const { source } = payment
  const checked = { ...payment, check: undefined }
  return isSameOrder(payment, event)
    ? checked
    : afterSet(checked, { type: 'set', source, change: 'another' })
}

function isSameOrder(
  { orderId, handoff, report }: Payment,
  event: Extract<PaymentEvent, { type: 'handoff' | 'refused' | 'failed' }>,
): boolean {
  if (event.type === 'failed') return false
  if (event.orderId !== undefined && orderId !== undefined) return event.orderId === orderId
  if (event.type === 'refused') return report !== undefined
  const { id, clientSecret } = event.handoff
  return id === handoff?.id && clientSecret === handoff.clientSecret
}

function afterRequest(
  payment: Payment,
  event: Extract<PaymentEvent, { type: 'handoff' | 'refused' | 'failed' }>,
): Payment {
  if (event.type === 'failed') return failed(payment, event.error)
  const { orderId = payment.orderId } = event
  if (isOther(payment, orderId)) return failed(payment, new CheckoutError('order_mismatch'))
  if (event.type === 'handoff') {
    const { handoff } = event
    return mounted({ ...payment, orderId, handoff, intentId: handoff.id })
  }
  return payment.source?.follows ? following({ ...payment, orderId }) : failed(payment, event.error)
}

function afterPhase(payment: Payment, report: Report): Payment {
  const { orderId = payment.orderId } = report
  if (isOther(payment, orderId)) return failed(payment, new CheckoutError('order_mismatch'))
  const { name, frame: _, ...rest } = payment
  const known = { ...rest, orderId, report: { ...report, orderId }, frame: undefined }
  const settled = { ...known, ...waitOver, handoff: undefined, error: undefined }
  switch (report.phase) {
    case 'open': {
      const error = payment.error ?? new CheckoutError('status_failed', { cause: openAgain })
      if (payment.renewed) return failed({ ...payment, report: known.report }, error)
      return { ...loading({ ...known, name, handoff: undefined }, 'handoff'), renewed: true }
    }
    case 'paid':
    case 'review':
    case 'failed': {
      const isKnown = name === report.phase && payment.report?.reason === report.reason
      const result = { ...settled, name: report.phase, request: undefined }
      return isKnown ? { ...payment, request: undefined } : result
    }
    default:
      // The same request goes on.
      return name === 'processing' && payment.report?.phase === report.phase
        ? payment
        : { ...settled, name: 'processing' }
  }
}

const openAgain = new TypeError('The form has ended twice, and the status is open')

function afterFrame(
  payment: Payment,
  event: Extract<PaymentEvent, { type: 'hello' | 'ready' | 'finish' | 'cancel' | 'busy' | 'fail' }>,
): Payment {
  const { name } = payment
  const isUsable = name === 'ready' || name === 'busy'
  switch (event.type) {
    case 'hello':
      return isUsable ? { ...payment, name: 'loading', ...waited(payment) } : payment
    case 'busy':
      if (!isUsable || event.on === (name === 'busy')) return payment
      return ended({ ...payment, name: event.on ? 'busy' : 'ready' })
    case 'ready': {
      const usable = { ...payment, ...waitOver, renewed: false, retried: false }
      if (isUsable) return payment
      return ended({ ...usable, ...fresh, check: payment.check, name: 'ready' })
    }
    case 'fail':
      return afterFail({ ...payment, frame: undefined }, event.error)
    default: {
      if (name === 'confirming' || name === 'finished') return payment
      const end = event.type
      const after = { ...payment, retried: false, error: undefined, end }
      return ended(
        payment.source?.follows
          ? following(after)
          : { ...after, ...waitOver, name: 'finished', request: undefined },
      )
    }
  }
}

/** The frame has failed. */
function afterFail(payment: Payment, error: CheckoutError): Payment {
  const { name, source, renewed, retried, pending } = payment
  // The result does not depend on the frame.
  if (name === 'confirming' || name === 'error') return payment
  if (pending) return ended({ ...payment, name: 'loading' })
  if (error.code === 'unauthorized') {
    const rejected = { ...payment, handoff: undefined }
    if (!renewed && source?.follows) return { ...loading(rejected, 'status'), error }
    if (!renewed && source?.requests) return { ...loading(rejected, 'handoff'), renewed: true }
    return failed(rejected, error)
  }
  if (!error.retryable || retried) return failed(payment, error)
  return { ...loading(payment, 'retry'), retried: true }
}

/** Shows an error, below a frame that shows its result. */
function failed(payment: Payment, error: CheckoutError): Payment {
  return { ...payment, ...waitOver, name: 'error', error, request: undefined, check: undefined }
}

const waitOver = { wait: undefined, delay: 0 } as const

/** Follows the payment. The frame stays, with its result. */
function following(payment: Payment): Payment {
  const next = { ...payment, ...requested(payment, 'status') }
  return { ...next, name: 'confirming', wait: next.turn, delay: 0 }
}

/** Requests something, and shows no frame. A wait goes on. */
function loading(payment: Payment, kind: 'handoff' | 'status' | 'retry'): Payment {
  const next = { ...payment, frame: undefined, error: undefined, ...requested(payment, kind) }
  return { ...next, name: 'loading', ...waited(next) }
}

function requested(
  { turn }: Payment,
  kind: 'handoff' | 'status' | 'retry',
): Pick<Payment, 'turn' | 'request'> {
  return { turn: turn + 1, request: { kind, turn: turn + 1 } }
}

/** Returns the wait of a loading form: the one that runs, or a new one. */
function waited({ name, wait, turn, delay }: Payment): Pick<Payment, 'wait' | 'delay'> {
  return name === 'loading' && wait !== undefined ? { wait, delay } : { wait: turn, delay: 0 }
}

/** Mounts a frame. */
function mounted(payment: Payment): Payment {
  const turn = payment.turn + 1
  return { ...payment, turn, frame: turn, request: undefined }
}

/** Whether a response names another order than the page. */
function isOther(payment: Payment, orderId: string | undefined): boolean {
  return payment.orderId !== undefined && orderId !== payment.orderId
}
