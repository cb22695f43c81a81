/**
 * The payment of one order as the page knows it, and how each event leads to the next state.
 *
 * Requests and frames have a turn. A message of an earlier turn changes nothing.
 *
 * @module
 */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'
import type { PaymentStatus } from './client/fetch-status.ts'
import { isFinal } from './client/follow-payment.ts'
import { CheckoutError } from './errors.ts'
import type { CheckoutState } from './events.ts'
import type { FetchHandoff, FetchStatus, OrderHandoff } from './handoff.ts'

/** Where handoff and result come from. */
export interface Source {
  /** Another value of any of these is another order. */
  readonly key: readonly unknown[]
  /** `order-id`. Without one the session decides. */
  readonly orderId?: string | undefined
  /** The page has set it. */
  readonly handoff?: OrderHandoff | undefined
  readonly fetchHandoff?: FetchHandoff | undefined
  readonly fetchStatus?: FetchStatus | undefined
  readonly error?: CheckoutError | undefined
}

/** A request for a handoff that is known waits, and mounts it again. */
type RequestKind = 'handoff' | 'status'

export interface Payment {
  readonly name: CheckoutState
  /** Number of the last turn. */
  readonly turn: number
  readonly source?: Source | undefined
  /** The order that `order-id` or a response has named. */
  readonly orderId?: string | undefined
  /** What a frame can be mounted from. */
  readonly handoff?: OrderHandoff | undefined
  /** Id of the order's latest intent. */
  readonly intentId?: string | undefined
  /** Turn of the frame. */
  readonly frame?: number | undefined
  readonly request?: { readonly kind: RequestKind; readonly turn: number } | undefined
  /** How long this state lasts: 1 after four seconds, 2 after eight. */
  readonly delay: number
  /** The element has tried again by itself. A usable form, or the buyer, permits it once more. */
  readonly renewed: boolean
  /** After Pay, and after what the server has said of a payment, until a form is usable or the payment has failed. */
  readonly mayHavePaid?: boolean | undefined
  /** What the server says about the payment. */
  readonly report?: PaymentStatus | undefined
  /** In the state `error` only. */
  readonly error?: CheckoutError | undefined
  /** Another source, which waits for the end of this payment. */
  readonly pending?: SetEvent | undefined
}

interface SetEvent {
  readonly type: 'set'
  readonly source: Source | undefined
}

type FrameEvent = { readonly turn: number } & (
  | { readonly type: 'hello' | 'ready' | 'finish' | 'cancel' }
  | { readonly type: 'busy'; readonly on: boolean }
  | { readonly type: 'fail'; readonly error: CheckoutError }
)

export type PaymentEvent =
  | SetEvent
  /** `again`: `reload()` and "Try again". `wake`: visible or online again. `delay`: four seconds in the same state. */
  | { readonly type: 'removed' | 'again' | 'wake' | 'delay' }
  | { readonly type: 'handoff'; readonly turn: number; readonly handoff: OrderHandoff }
  | { readonly type: 'phase'; readonly turn: number; readonly report: PaymentStatus }
  | { readonly type: 'failed'; readonly turn: number; readonly error: CheckoutError }
  | FrameEvent

export const noPayment: Payment = { name: 'idle', turn: 0, delay: 0, renewed: false }

/** The status tells more than these errors of the handoff. */
const paymentCodes: ReadonlySet<unknown> = new Set<HandoffProblemCode>([
  'order_already_paid',
  'payment_in_progress',
  'payment_under_review',
])

/** Returns the payment after an event; the same one if the event changes nothing. */
export function next(payment: Payment, event: PaymentEvent): Payment {
  const { name, source, handoff, pending, turn, request } = payment
  if ('turn' in event && event.turn !== payment.frame && event.turn !== request?.turn) {
    return payment
  }
  switch (event.type) {
    case 'set': {
      const { key } = event.source ?? {}
      if (!key || !source?.key.every((value, index) => value === key[index])) {
        return name === 'busy' ? { ...payment, pending: event } : started(payment, event.source)
      }
      const same = { ...payment, source: event.source, pending: undefined }
      // An element that was removed, and inserted again.
      return name === 'idle' ? again(same) : same
    }
    case 'removed': {
      const { orderId, intentId, mayHavePaid } = payment
      // The insertion sets the other source.
      const known = pending ? {} : { source, orderId, handoff, intentId, mayHavePaid }
      return { ...noPayment, turn, ...known }
    }
    case 'again':
      return again(payment)
    case 'wake':
      if (name === 'failed' && !request) return requesting(payment, name, 'status')
      return name === 'error' && payment.error?.code === 'offline' ? again(payment) : payment
    case 'delay':
      return { ...payment, delay: payment.delay + 1 }
    case 'handoff':
      return ofOrder(payment, event.handoff.orderId, (known) =>
        mounted({ ...known, handoff: event.handoff, intentId: event.handoff.id }),
      )
    case 'phase':
      return ofOrder(payment, event.report.orderId, (known) => afterPhase(known, event.report))
    case 'failed': {
      const { code, cause } = event.error
      const refusal = Object(cause) as { readonly code?: unknown; readonly orderId?: string }
      const isRefused = code === 'handoff_failed' && paymentCodes.has(refusal.code)
      return isRefused && source?.fetchStatus
        ? ofOrder({ ...payment, mayHavePaid: true }, refusal.orderId, following)
        : failed(payment, event.error)
    }
    default:
      return afterFrame(payment, event)
  }
}

function started({ turn }: Payment, source: Source | undefined): Payment {
  const start = { ...noPayment, turn, source, orderId: source?.orderId }
  if (!source) return start
  return source.error ? failed(start, source.error) : loading(start, 'handoff')
}

/** Ends the wait for the end of a payment. */
function ended(payment: Payment): Payment {
  const { pending } = payment
  return pending ? started(payment, pending.source) : payment
}

function again(payment: Payment): Payment {
  const { name, source, handoff, frame, pending } = payment
  if (pending) return ended(payment)
  if (!source || source.error) return payment
  const start = { ...payment, ...fresh, delay: 0 }
  // The frame shows its result.
  if (name === 'error' && frame !== undefined) return following(start)
  return handoff ? mounted(entered(start, 'loading')) : loading(start, 'handoff')
}

const fresh = { report: undefined, error: undefined, renewed: false } as const

/** Continues, unless a response names another order than the page. */
function ofOrder(
  payment: Payment,
  named: string | undefined,
  proceed: (payment: Payment) => Payment,
): Payment {
  const { orderId = named } = payment
  return (named ?? orderId) === orderId
    ? proceed({ ...payment, orderId })
    : failed(payment, new CheckoutError('order_mismatch'))
}

function afterPhase(payment: Payment, status: PaymentStatus): Payment {
  const { orderId, request, renewed } = payment
  const { phase } = status
  const reported = { ...payment, report: { ...status, orderId } }
  if (phase === 'open') {
    if (renewed) return failed(reported, new CheckoutError('status_failed'))
    return { ...loading(reported, 'handoff'), handoff: undefined, renewed: true }
  }
  const shown = { handoff: undefined, frame: undefined, error: undefined }
  const known = { ...reported, ...shown, mayHavePaid: phase !== 'failed' }
  if (isFinal(phase)) return { ...entered(known, phase), request: undefined }
  // The same request goes on.
  return { ...entered(known, 'processing'), request }
}

function afterFrame(payment: Payment, event: FrameEvent): Payment {
  const { name, source } = payment
  const isUsable = name === 'ready' || name === 'busy'
  switch (event.type) {
    case 'hello':
      return isUsable ? entered(payment, 'loading') : payment
    case 'busy':
      if (!isUsable) return payment
      return event.on ? { ...entered(payment, 'busy'), mayHavePaid: true } : usable(payment)
    case 'ready':
      return isUsable ? payment : usable({ ...payment, ...fresh, request: undefined })
    case 'fail':
      return afterFail({ ...payment, frame: undefined }, event.error)
    default: {
      if (name === 'confirming' || name === 'finished') return payment
      const after = { ...payment, error: undefined, mayHavePaid: event.type === 'finish' }
      return ended(source?.fetchStatus ? following(after) : entered(after, 'finished'))
    }
  }
}

/** The form shows what became of a payment. */
function usable(payment: Payment): Payment {
  return ended({ ...entered(payment, 'ready'), mayHavePaid: false })
}

/** The frame has failed. */
function afterFail(payment: Payment, error: CheckoutError): Payment {
  const { name, source, renewed, pending, mayHavePaid } = payment
  // The result does not depend on the frame.
  if (name === 'confirming' || name === 'error') return payment
  if (pending) return ended(payment)
  if (mayHavePaid && source?.fetchStatus) return following(payment)
  const isRejected = error.code === 'unauthorized'
  const known = isRejected ? { ...payment, handoff: undefined } : payment
  if (renewed || !(isRejected ? source?.fetchHandoff : error.retryable)) return failed(known, error)
  const kind = isRejected && source?.fetchStatus ? 'status' : 'handoff'
  return { ...loading(known, kind), renewed: kind === 'handoff' }
}

/** Shows an error, below a frame that shows its result. */
function failed(payment: Payment, error: CheckoutError): Payment {
  return { ...entered(payment, 'error'), error, request: undefined }
}

/** Follows the payment. The frame stays, with its result. */
function following(payment: Payment): Payment {
  return requesting(payment, 'confirming', 'status')
}

/** Requests something, and shows no frame. */
function loading(payment: Payment, kind: RequestKind): Payment {
  return { ...requesting(payment, 'loading', kind), frame: undefined, error: undefined }
}

function requesting(payment: Payment, name: CheckoutState, kind: RequestKind): Payment {
  const turn = payment.turn + 1
  return { ...entered(payment, name), turn, request: { kind, turn } }
}

function mounted(payment: Payment): Payment {
  const turn = payment.turn + 1
  return { ...payment, turn, frame: turn, request: undefined }
}

function entered(payment: Payment, name: CheckoutState): Payment {
  return { ...payment, name, delay: name === payment.name ? payment.delay : 0 }
}
