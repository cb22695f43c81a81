/** The states of the page, and how each event leads to the next one. Only a view shows the payment's state. @module */
import type { ChallengeTicket, CheckoutView } from '../../shared/checkout-api.ts'
import { isRejection } from './checkout-client.ts'
import type { Texts } from './texts.ts'

/** The step that the page shows. */
export type Step =
  /** There is no view yet. */
  | { readonly name: 'opening' }
  | (Shown & { readonly name: 'card' })
  /** The issuer's page in a frame. It opens when the confirmation has its response. */
  | (Shown & { readonly name: 'challenge'; readonly ticket: ChallengeTicket | undefined })
  /** Offers to open a challenge that is not known to be this page's, or could not be opened. */
  | (Shown & { readonly name: 'confirm-here' })
  /** The issuer's page replaces the shop's page. */
  | (Shown & { readonly name: 'bank'; readonly isLeaving: boolean })
  /** Waits for a pending result. */
  | (Shown & { readonly name: 'processing' })
  /** @param end - What the element learns. */
  | (Shown & { readonly name: 'result'; readonly end: 'finish' | 'cancel' })

/** What every step with a view has. */
interface Shown {
  readonly view: CheckoutView
  /** The buyer's request, until its result is known. */
  readonly sending: Sending | undefined
  readonly notice: Notice
  /** Why the notice is shown, if a request has failed. */
  readonly error: unknown
  /** Why the latest reads failed. */
  readonly readError: unknown
}

/** Key of the text next to the form, or `failure` for the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

/** A request that changes the payment. */
export type Action = 'pay' | 'cancel' | 'another-card'
export type Button = Action | 'confirm-here' | 'to-bank'

interface Sending {
  readonly action: Action
  /** Step and version of the view at the start. */
  readonly from: Step['name']
  readonly version: number
}

export type PageEvent =
  /** A read has a response. */
  | { readonly type: 'read'; readonly view: CheckoutView }
  /** Several reads in a row have failed. */
  | { readonly type: 'read failed'; readonly error: unknown }
  | { readonly type: 'press'; readonly button: Button }
  /** A request of the buyer, or for the challenge, has failed, and is sent again. */
  | { readonly type: 'failing'; readonly error: unknown }
  /** The buyer's payment has had no response for long. */
  | { readonly type: 'silent' }
  | { readonly type: 'response'; readonly view: CheckoutView }
  /** The buyer's request has failed. If it had no response, a view was read since then. */
  | { readonly type: 'send failed'; readonly error: unknown }
  | { readonly type: 'opened'; readonly ticket: ChallengeTicket }
  /** @param error - `undefined` if the top page did not leave. */
  | { readonly type: 'open failed'; readonly error: unknown }
  /** The issuer's page is no longer valid: another window may have opened the challenge. */
  | { readonly type: 'over' }
  /** The browser shows the page again after it has left. */
  | { readonly type: 'restored' }
  /** The time to wait for a pending result has passed. */
  | { readonly type: 'waited' }

/** Returns the step after an event; the same one if the event changes nothing. */
export function next(step: Step, event: PageEvent): Step {
  if (step.name === 'opening') return event.type === 'read' ? shown(step, event.view) : step
  switch (event.type) {
    case 'read':
      return afterRead(step, event.view)
    case 'read failed':
      return { ...step, readError: event.error }
    case 'press':
      return afterPress(step, event.button)
    case 'failing':
      // A newer view has shown the result.
      if (step.sending && step.sending.version !== step.view.version) return step
      return {
        ...step,
        notice: step.sending?.action === 'pay' ? unknownNotice(step) : 'connection',
        error: event.error,
      }
    case 'silent':
      return step.sending?.version === step.view.version ? { ...step, notice: 'silent' } : step
    case 'response':
      return afterResponse(step, event.view)
    case 'send failed':
      return afterFailure(step, event.error)
    case 'opened':
      if (step.name !== 'challenge') return step
      return { ...step, ...noNotice, ticket: event.ticket }
    case 'open failed':
      return afterOpenFailure(step, event.error)
    case 'over':
      return step.name === 'challenge' && step.ticket ? offer(step) : step
    case 'restored':
      return step.name === 'bank' ? { ...step, isLeaving: false } : step
    case 'waited':
      return step.name === 'processing' ? { ...step, name: 'result', end: 'finish' } : step
  }
}

/** What the page does in a step without a press, with the version of the view. */
export type Work = `${'open' | 'leave' | 'wait'} ${number}`

/** A longer silence has another text. */
function unknownNotice({ notice }: Shown): Notice {
  return notice === 'silent' ? notice : 'unknown'
}

/** Returns the work of a step. Two steps with the same work share it. */
export function workOf(step: Step): Work | undefined {
  if (step.name === 'opening') return undefined
  const { version } = step.view
  // The response to the confirmation tells whether the challenge belongs to this page.
  const isDecided = step.sending?.action !== 'pay'
  if (step.name === 'challenge' && isDecided && !step.ticket) return `open ${version}`
  if (step.name === 'bank' && step.isLeaving) return `leave ${version}`
  return step.name === 'processing' ? `wait ${version}` : undefined
}

/** Returns whether the buyer's action runs: from Pay until a result or a failure, challenge included. */
export function isBusy(step: Step): boolean {
  switch (step.name) {
    case 'opening':
    // The response to the request that has ended the payment may be on its way.
    case 'result':
      return false
    case 'challenge':
    case 'confirm-here':
    case 'processing':
      return true
    case 'bank':
      return step.isLeaving || step.sending !== undefined
    default:
      return step.sending !== undefined
  }
}

/** Returns the notice of a step, and why it is shown. */
export function noticeOf(step: Step): { readonly notice: Notice; readonly error: unknown } {
  if (step.name === 'opening') return { notice: undefined, error: undefined }
  const { notice, error, readError } = step
  if (readError === undefined) return { notice, error }
  const isKept = notice === 'unknown' || notice === 'silent'
  return { notice: isKept ? notice : 'connection', error: readError }
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

const noNotice = { notice: undefined, error: undefined } as const

function afterRead(step: ShownStep, view: CheckoutView): Step {
  if (view.version > step.view.version) return shown(step, view)
  return step.readError === undefined ? step : { ...step, readError: undefined }
}

/** Returns the step for a newer view. */
function shown(step: Step, view: CheckoutView): ShownStep {
  const sending = step.name === 'opening' ? undefined : step.sending
  const base = { ...noNotice, view, sending, readError: undefined }
  switch (view.status) {
    case 'requires_payment_method':
      return {
        ...base,
        name: 'card',
        notice: view.lastPaymentFailure ? 'failure' : undefined,
      }
    case 'requires_action':
      if (view.nextAction?.type === 'redirect') return { ...base, name: 'bank', isLeaving: false }
      // Another window may show the challenge.
      if (sending?.action !== 'pay') return { ...base, name: 'confirm-here' }
      return { ...base, name: 'challenge', ticket: undefined }
    case 'processing':
      return { ...base, name: 'processing' }
    default: {
      const hasCanceled = sending?.action === 'cancel' && view.status === 'canceled'
      return { ...base, name: 'result', end: hasCanceled ? 'cancel' : 'finish' }
    }
  }
}

function afterPress(step: ShownStep, button: Button): Step {
  if (button === 'to-bank') {
    return step.name === 'bank' && !step.isLeaving
      ? { ...step, ...noNotice, isLeaving: true }
      : step
  }
  if (step.sending) return step
  if (button === 'confirm-here') {
    return step.name === 'confirm-here'
      ? { ...step, ...noNotice, name: 'challenge', ticket: undefined }
      : step
  }
  const isForm = step.name === 'card'
  const isVerification = ['challenge', 'confirm-here', 'bank'].includes(step.name)
  if (button === 'another-card' ? !isVerification : !isForm) return step
  const sending = { action: button, from: step.name, version: step.view.version }
  return { ...step, ...noNotice, sending }
}

function afterResponse(step: ShownStep, view: CheckoutView): Step {
  const isNewer = view.version > step.view.version
  const after = isNewer ? shown(step, view) : step
  const hasChanged = after.view.version !== step.sending?.version
  return answered(hasChanged ? after : { ...after, ...noNotice }, {
    isOwn: after.view.version === view.version,
  })
}

function afterFailure(step: ShownStep, error: unknown): Step {
  const { sending } = step
  if (!sending) return step
  const hasChanged = step.view.version !== sending.version
  const after = answered(step, { isOwn: false })
  const rejection = rejectionNotice(error)
  if (step.name !== sending.from || (hasChanged && !rejection)) return after
  return { ...after, notice: rejection ?? (sending.action === 'pay' ? 'again' : 'notDone'), error }
}

/** Ends the buyer's request. @param isOwn - Whether the view is the response to this page's confirmation. */
function answered(step: ShownStep, { isOwn }: { readonly isOwn: boolean }): ShownStep {
  const { sending } = step
  const after = { ...step, sending: undefined }
  if (sending?.action !== 'pay') return after
  if (after.name === 'bank') return { ...after, isLeaving: isOwn }
  return after.name === 'challenge' && !isOwn ? offer(after) : after
}

function afterOpenFailure(step: ShownStep, error: unknown): Step {
  const notice = rejectionNotice(error) ?? 'toBankFailed'
  if (step.name === 'challenge') return { ...offer(step), notice, error }
  if (step.name !== 'bank') return step
  const cannotReturn = isInvalidReturnUrl(error)
  return { ...step, isLeaving: false, notice: cannotReturn ? 'returnRefused' : notice, error }
}

function offer({ view, sending, readError }: ShownStep): ShownStep {
  return { view, sending, readError, ...noNotice, name: 'confirm-here' }
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

function isInvalidReturnUrl(error: unknown): boolean {
  return isRejection(error) && ['origin_not_allowed', 'validation_failed'].includes(error.code)
}
