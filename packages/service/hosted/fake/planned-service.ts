/** The responses of the private API, by the test card. In a tab with storage, they survive a reload. @module */
import { isFinal } from '@pi-checkout/contract/payment-status'
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import type { CardDetails, CheckoutView, ConfirmBody } from '../../shared/checkout-api.ts'
import { authorize, declines, type ProviderResult } from '../../src/provider/acquirer.ts'
import { bank, bankUrl } from './bank.ts'

interface Stored {
  readonly view: CheckoutView
  /** What follows a challenge that passes. */
  readonly later?: ProviderResult | undefined
  /** The shop's page was replaced by the bank's. */
  readonly hasLeft?: boolean
}

type Change = Omit<Partial<CheckoutView>, 'version'>

const id = bank?.id ?? decodeURIComponent(location.pathname.split('/')[2] ?? '')
const key = `pi-checkout-fake ${id}`

const first: CheckoutView = {
  id,
  version: 1,
  environment: 'test',
  merchantName: 'Test shop',
  amount: 10_000,
  currency: 'USD',
  orderId: 'A-1001',
  status: 'requires_payment_method',
  paymentMethod: null,
  lastPaymentFailure: null,
  nextAction: null,
}

/** Returns the response to a request of the private API, and `undefined` for any other request. */
export function respond(url: string, init: RequestInit = {}): Promise<Response> | undefined {
  const { pathname, searchParams } = new URL(url, location.href)
  const [, path] = /^\/checkout-api\/(.+)$/.exec(pathname) ?? []
  if (!path) return undefined
  const body = typeof init.body === 'string' ? JSON.parse(init.body) : {}
  switch (path) {
    case 'session':
      return Promise.resolve(Response.json({ token: 'fake', intent: afterReturn() }))
    case 'intent':
      return newer(Number(searchParams.get('waitForVersion')), init.signal)
    case 'confirm':
      return confirm(body)
    case 'cancel':
      return Promise.resolve(Response.json(save({ status: 'canceled' })))
    case 'challenge/open': {
      const { returnUrl } = body
      const { view, later } = read()
      write({ view, later, hasLeft: returnUrl !== undefined })
      const locale = document.documentElement.lang
      return Promise.resolve(Response.json({ url: bankUrl({ id, locale, returnUrl }), token: id }))
    }
    default:
      return Promise.resolve(Response.json(settle(failed('authentication_canceled'))))
  }
}

function read(): Stored {
  const stored = storage()[key]
  return stored ? JSON.parse(stored) : { view: first }
}

function write(stored: Stored): void {
  storage()[key] = JSON.stringify(stored)
}

/** Of the tab. A browser may deny it to a frame of another site: then the page keeps its state until it ends. */
function storage(): Record<string, string> {
  try {
    return sessionStorage
  } catch {
    const page = (bank ? window.parent : window) as { planned?: Record<string, string> }
    page.planned ??= {}
    return page.planned
  }
}

function save(change: Change, later?: ProviderResult): CheckoutView {
  const { view } = read()
  const next = { ...view, nextAction: null, ...change, version: view.version + 1 }
  write({ view: next, later })
  return next
}

/** A bank's page that has replaced the shop's returns only with the code that passes. */
function afterReturn(): CheckoutView {
  const { view, hasLeft } = read()
  return hasLeft ? save({ status: 'succeeded' }) : view
}

/** Returns the view, or waits until it is new. */
async function newer(version: number, signal: AbortSignal | null | undefined): Promise<Response> {
  for (;;) {
    const { view } = read()
    if (view.version >= version || signal?.aborted) return Response.json(view)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function confirm({ paymentMethod: { card } }: ConfirmBody): Promise<Response> {
  const authorization = authorize(card as CardDetails)
  if (!authorization) {
    return Response.json({ code: 'card_not_accepted', detail: 'No test card.' }, { status: 422 })
  }
  const { summary, outcome } = authorization
  const paymentMethod = { type: 'card', card: summary } as const
  switch (outcome.result) {
    case 'challenge': {
      const type = outcome.framing ? 'challenge' : 'redirect'
      const nextAction = { type, url: '' } as const
      return Response.json(
        save({ status: 'requires_action', paymentMethod, nextAction }, outcome.later),
      )
    }
    case 'pending':
      if (outcome.after) setTimeout(() => save({ status: 'succeeded' }), outcome.after)
      return Response.json(save({ status: 'processing', paymentMethod }))
    default:
      return Response.json(decide(outcome, paymentMethod))
  }
}

function decide(
  result: ProviderResult,
  paymentMethod: CheckoutView['paymentMethod'],
): CheckoutView {
  if (result.result === 'authorised') return save({ status: 'succeeded', paymentMethod })
  return settle({ ...declines[result.decline], retryable: !result.hard, occurredAt: '' })
}

function settle(failure: NonNullable<CheckoutView['lastPaymentFailure']>): CheckoutView {
  const status = failure.retryable ? 'requires_payment_method' : 'failed'
  return save({ status, lastPaymentFailure: failure })
}

function failed(code: string): NonNullable<CheckoutView['lastPaymentFailure']> {
  return { code, declineCode: null, message: '', retryable: true, occurredAt: '' }
}

/** The buyer has sent a code to the bank, or canceled there. */
export function answer(form: FormData): void {
  const { view, later = { result: 'authorised' } } = read()
  const code = form.get('action') === 'confirm' ? form.get('code') : undefined
  if (isFinal(view.status)) return
  if (code === challengeCodes.passes) decide(later, view.paymentMethod)
  else if (code === challengeCodes.bankError) settle(failed('authentication_unavailable'))
  else settle(failed(code === undefined ? 'authentication_canceled' : 'authentication_failed'))
}
