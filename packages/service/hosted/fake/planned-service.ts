/**
 * The responses of the private API: the service's own lifecycle, of one intent. In a tab with storage, it survives a reload.
 *
 * @module
 */
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import type { CardDetails, CheckoutView, ConfirmBody } from '../../shared/checkout-api.ts'
import {
  type Intent,
  type State,
  type Stored,
  stateOf,
  withState,
} from '../../src/intents/intent.ts'
import { type Cause, decide } from '../../src/intents/lifecycle.ts'
import { checkoutView } from '../../src/intents/views.ts'
import { authorize } from '../../src/provider/acquirer.ts'
import { bank, bankUrl } from './bank.ts'

const environment = { mode: 'test', merchantName: 'Test shop' } as const

const created: Stored = {
  id: bank?.id ?? decodeURIComponent(location.pathname.split('/')[2] ?? ''),
  environmentId: '',
  revision: 0,
  amount: 10_000,
  currency: 'USD',
  orderId: 'A-1001',
  customer: null,
  metadata: null,
  createdAt: new Date(),
}

const key = `pi-checkout-fake ${created.id}`
const providerPaymentId = 'sim_fake'

/** Returns the response to a request of the private API, and `undefined` for any other request. */
export function respond(url: string, init: RequestInit = {}): Promise<Response> | undefined {
  const { pathname, searchParams } = new URL(url, location.href)
  const [, path] = /^\/checkout-api\/(.+)$/.exec(pathname) ?? []
  if (!path) return undefined
  const body = typeof init.body === 'string' ? JSON.parse(init.body) : {}
  if (path === 'intent') return newer(Number(searchParams.get('waitForVersion')), init.signal)
  return Promise.resolve(responseTo(path, body))
}

function responseTo(path: string, body: Readonly<Record<string, unknown>>): Response {
  switch (path) {
    case 'session':
      // A bank's page that has replaced the shop's returns only with the code that passes.
      if (stateOf(read()).challenge?.returnPage) answer(challengeCodes.passes)
      return Response.json({ token: 'fake', intent: view(read()) })
    case 'confirm':
      return confirm(body as unknown as ConfirmBody)
    case 'cancel':
      return Response.json(change({ type: 'canceled' }))
    case 'challenge/open': {
      const { returnUrl } = body as { readonly returnUrl?: string }
      const opened = { token: '', returnPage: returnUrl ?? null }
      const { id } = change({ type: 'challenge_opened', ...opened })
      const locale = document.documentElement.lang
      return Response.json({ url: bankUrl({ id, locale, returnUrl }), token: id })
    }
    default:
      return Response.json(change({ type: 'challenge_canceled' }))
  }
}

function read(): Intent {
  const stored = storage()[key]
  return withState(created, stored ? (JSON.parse(stored) as State) : null)
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

function view(intent: Intent): CheckoutView {
  return checkoutView(intent, environment, location.origin)
}

function change(cause: Cause): CheckoutView {
  const before = read()
  const { intent } = decide(before, cause, new Date())
  if (intent !== before) storage()[key] = JSON.stringify(intent.state)
  return view(intent)
}

/** Returns the view, or waits until it is new. */
async function newer(version: number, signal: AbortSignal | null | undefined): Promise<Response> {
  for (;;) {
    const intent = change({ type: 'time_passed' })
    if (intent.version >= version || signal?.aborted) return Response.json(intent)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function confirm({ confirmationId, version, paymentMethod }: ConfirmBody): Response {
  const authorization = authorize(paymentMethod.card as CardDetails)
  if (!authorization) {
    return Response.json({ code: 'card_not_accepted', detail: 'No test card.' }, { status: 422 })
  }
  const request = { confirmationId, version, authorization, providerPaymentId }
  return Response.json(change({ type: 'confirmed', ...request }))
}

/** The buyer has sent a code to the bank, or canceled there. */
export function answer(code: string | undefined): void {
  const display = stateOf(read()).challenge?.type ?? 'challenge'
  const step = { display, token: '', next: '' }
  change({ type: 'challenge_answered', code, providerPaymentId, ...step })
}
