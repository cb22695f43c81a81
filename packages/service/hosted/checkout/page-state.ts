/** The states of the page, and how each event leads to the next one. Only a view shows the payment's state. @module */
import type { ChallengeTicket, CheckoutView, ConfirmBody } from '../../shared/checkout-api.ts'
import { type ChangePath, isRejection } from './checkout-client.ts'
import type { Texts } from './texts.ts'

/** The step that the page shows. */
export type Step =
  /** There is no view yet. */
  | { readonly name: 'opening'; readonly view?: undefined }
  | (Shown & { readonly name: 'card' })
  /** The bank asks the buyer to confirm, on its page. */
  | (Shown & { readonly name: 'bank'; readonly page: BankPage })
  /** Waits for a pending result. */
  | (Shown & { readonly name: 'processing' })
  /** @param end - What the element learns. */
  | (Shown & { readonly name: 'result'; readonly end: 'finish' | 'cancel' })

/** What every step with a view has. */
interface Shown {
  readonly view: CheckoutView
  /** The buyer's request, until its result is known. */
  readonly sending: Sending | undefined
  /** Why it was rejected, or has got no response. The next read shows whether it had an effect. */
  readonly sendError: unknown
  readonly notice: Notice
  /** Why the view may be old, until the next read. */
  readonly lost: 'offline' | 'connection' | undefined
}

/** The bank's page, which this page does not open if another one may show it, or if it could not be opened. */
type BankPage = 'offered' | 'opening' | ChallengeTicket

/** Key of the text next to the form, or `failure` for the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

/** A request that changes the payment. */
export interface Sending {
  readonly path: ChangePath
  readonly confirmation?: ConfirmBody
}

export type PageEvent =
  /** A session was opened. */
  | { readonly type: 'session'; readonly view: CheckoutView }
  /** A read has a response. It was sent after the latest failure of the buyer's request. */
  | { readonly type: 'read'; readonly view: CheckoutView }
  /** Several reads in a row have failed. */
  | { readonly type: 'read failed' }
  | { readonly type: 'offline' | 'online' }
  | { readonly type: 'send'; readonly sending: Sending }
  /** A request of the buyer, or for the challenge, has failed, and is sent again. */
  | { readonly type: 'failing' }
  /** The buyer's request has a response. */
  | { readonly type: 'response'; readonly view: CheckoutView }
  /** The buyer's request was rejected, or is not sent again. */
  | { readonly type: 'send failed'; readonly error: unknown }
  /** The time to wait for a pending result has passed. */
  | { readonly type: 'waited' }
  | BankEvent

/** An event of the bank's page, which matters only while the bank asks. */
type BankEvent =
  /** The buyer opens it. */
  | { readonly type: 'open' }
  | { readonly type: 'opened'; readonly ticket: ChallengeTicket }
  /** @param error - `undefined` if the top page did not leave. */
  | { readonly type: 'open failed'; readonly error: unknown }
  /** The issuer's page is no longer valid: another window may have opened the challenge. */
  | { readonly type: 'over' }
  /** The browser shows the page again after it has left. */
  | { readonly type: 'restored' }

/** Returns the step after an event; the same one if the event changes nothing. */
export function next(step: Step, event: PageEvent): Step {
  if (step.name === 'opening') return event.type === 'session' ? shown(event.view) : step
  switch (event.type) {
    case 'session':
      return updated(step, event.view)
    case 'read':
      return afterRead(step, event.view)
    case 'read failed':
      return step.lost ? step : { ...step, lost: 'connection' as const }
    case 'offline':
      return { ...step, lost: 'offline' as const }
    case 'online':
      return step.lost === 'offline' ? { ...step, lost: undefined } : step
    case 'send':
      return canSend(step, event.sending)
        ? { ...step, notice: undefined, sending: event.sending }
        : step
    case 'failing': {
      const notice: Notice = step.sending?.confirmation ? 'unknown' : 'connection'
      return { ...step, notice }
    }
    case 'response': {
      const after = updated(step, event.view)
      return after === step ? { ...step, ...nothingSent } : after
    }
    case 'send failed':
      return { ...step, sendError: event.error }
    case 'waited':
      return step.name === 'processing' ? { ...step, name: 'result', end: 'finish' } : step
    default:
      return step.name === 'bank' ? afterBankEvent(step, event) : step
  }
}

/** What the page does in a step: sends the buyer's request, or something for a version of the view. */
export type Work = Sending | `${'open' | 'wait'} ${number}`

/** Returns the work of a step. It goes on in the next step if that has the same work. */
export function worksOf(step: Step): readonly Work[] {
  if (step.name === 'opening') return []
  const { sending } = step
  const { version } = step.view
  const works: Work[] = sending ? [sending] : []
  if (step.name === 'bank' && step.page === 'opening') works.push(`open ${version}`)
  if (step.name === 'processing') works.push(`wait ${version}`)
  return works
}

/** Returns whether the buyer's action runs: from Pay until a result or a failure, challenge included. */
export function isBusy(step: Step): boolean {
  switch (step.name) {
    case 'opening':
    // The response to the request that has ended the payment may be on its way.
    case 'result':
      return false
    case 'processing':
      return true
    case 'bank':
      if (!isRedirect(step)) return true
      return step.page === 'opening' || step.sending !== undefined
    case 'card':
      return step.sending !== undefined
  }
}

/** Whether the bank's page replaces the shop's. */
export function isRedirect(step: Step): boolean {
  return step.name === 'bank' && step.view.nextAction?.type === 'redirect'
}

/** Whether the bank's page is in a frame of this page. */
export function isFramed(step: Step): boolean {
  return step.name === 'bank' && step.page !== 'offered' && !isRedirect(step)
}

export type BankStep = Extract<Step, { readonly name: 'bank' }>

/** Returns the one notice of a step. What happens to the money is more important than the connection. */
export function noticeOf(step: Step): Notice {
  if (step.name === 'opening') return undefined
  return step.notice === 'unknown' ? step.notice : (step.lost ?? step.notice)
}

/** The results that have a heading. */
export type Result = 'paid' | 'failed' | 'processing' | 'canceled' | 'expired'

/** Returns the result of a final view. Of any other, only the shop can know it. */
export function resultOf({ status }: Pick<CheckoutView, 'status'>): Result {
  if (status === 'succeeded') return 'paid'
  return status === 'failed' || status === 'canceled' || status === 'expired'
    ? status
    : 'processing'
}

type ShownStep = Exclude<Step, { readonly name: 'opening' }>

const nothingSent = { notice: undefined, sending: undefined, sendError: undefined } as const

/** Returns the step for a view, if it is newer. */
function updated(step: ShownStep, view: CheckoutView): ShownStep {
  return view.version > step.view.version ? shown(view, step) : step
}

/** A request that has failed had no effect if the view is the same. */
function afterRead(step: ShownStep, view: CheckoutView): ShownStep {
  const after = updated(step, view)
  if (after !== step) return after
  const read = { ...step, lost: undefined }
  const { sending, sendError } = step
  if (!sending || sendError === undefined) return read
  const notice = rejectionNotice(sendError) ?? (sending.confirmation ? 'again' : 'notDone')
  return { ...read, ...nothingSent, notice }
}

/** Returns the step for the first or a newer view, which ends the request that was sent before it. */
function shown(view: CheckoutView, before?: ShownStep): ShownStep {
  const { sending, sendError } = before ?? {}
  // Another window may have confirmed at the same time. Only one of both confirmations is accepted.
  const isOwn = sending?.confirmation?.confirmationId === view.confirmationId
  const base = { ...nothingSent, view, lost: undefined }
  switch (view.status) {
    case 'requires_payment_method': {
      if (sending?.confirmation && !isOwn) {
        return { ...base, name: 'card', notice: rejectionNotice(sendError) ?? 'changed' }
      }
      return { ...base, name: 'card', notice: view.lastPaymentFailure ? 'failure' : undefined }
    }
    case 'requires_action':
      return { ...base, name: 'bank', page: isOwn ? 'opening' : 'offered' }
    case 'processing':
      return { ...base, name: 'processing' }
    default: {
      const hasCanceled = sending?.path === 'cancel' && view.status === 'canceled'
      return { ...base, name: 'result', end: hasCanceled ? 'cancel' : 'finish' }
    }
  }
}

function canSend({ name, sending }: ShownStep, { path }: Sending): boolean {
  return !sending && name === (path === 'challenge/cancel' ? 'bank' : 'card')
}

function afterBankEvent(step: BankStep, event: BankEvent): BankStep {
  const turnTo = (page: BankPage): BankStep => ({ ...step, notice: undefined, page })
  switch (event.type) {
    case 'open':
      return step.sending ? step : turnTo('opening')
    case 'opened':
      return turnTo(event.ticket)
    case 'open failed':
      return { ...turnTo('offered'), notice: rejectionNotice(event.error) ?? 'toBankFailed' }
    case 'over':
      return typeof step.page === 'string' ? step : turnTo('offered')
    case 'restored':
      return isRedirect(step) ? turnTo('offered') : step
  }
}

const rejectionNotices: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ['card_not_accepted', 'numberNotTest'],
  ['rate_limited', 'tooMany'],
  ['version_conflict', 'changed'],
  ['confirmation_in_progress', 'changed'],
])

function rejectionNotice(error: unknown): Notice {
  if (!isRejection(error)) return undefined
  if (error.pointers.includes('/paymentMethod/card/expYear')) return 'expiryPast'
  return rejectionNotices.get(error.code)
}
