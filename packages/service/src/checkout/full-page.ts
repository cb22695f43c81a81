/** The hosted page as a separate page. A form post opens it, and a cookie for one checkout is its session. @module */
import { isFinal } from '@pi-checkout/contract'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import { routes } from '../../shared/routes.ts'
import { formBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { compressed } from '../http/encoding.ts'
import { checkoutHeaders, openPageHeaders } from '../http/page-headers.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, page, type RouteResponse } from '../http/response.ts'
import { singleHeader } from '../http/single-header.ts'
import { intentIdPattern } from '../ids.ts'
import { lifetimes } from '../intents/lifetimes.ts'
import { load, type Snapshot } from '../intents/store.ts'
import { checkoutPage, checkoutStyleSource, errorPage } from './pages.ts'
import { maxUrlLength, readReturnUrl } from './return-url.ts'
import { openSession, type SessionOpener, type VerifiedSession } from './sessions.ts'

/** A form has a secret, an address, a locale, and an appearance. */
const formBytes = 16_384
/** The address is a parameter of another one, percent-encoded. */
const maxReturnUrl = 2048
const cookieName = 'pi-checkout'

/** Returns the page of a checkout, and the cookie with the token of its session. */
export function fullPageOf(
  publicUrl: string,
  {
    id,
    token,
    query,
  }: { readonly id: string; readonly token: string; readonly query: URLSearchParams },
): { readonly path: string; readonly cookie: string } {
  const path = `/checkout/${id}`
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const attributes = `Max-Age=${lifetimes.fullPage / 1000}; HttpOnly; SameSite=Lax${secure}`
  return {
    path: `${path}/page?${query}`,
    cookie: `${cookieName}=${token}; Path=${path}; ${attributes}`,
  }
}

/** @param options - `tokens` are those of the cookies. */
export function fullPage(
  options: SessionOpener & {
    readonly publicUrl: string
    readonly challengeUrl: string
    readonly hostedFolder: string
  },
) {
  const { publicUrl, challengeUrl, hostedFolder, intents, tokens } = options

  const showError = (
    { request }: Call,
    code: (typeof failCodes)[number],
    mode = '',
  ): RouteResponse => {
    const languages = request.headers['accept-language']
    const body = errorPage(hostedFolder, { code, mode, languages })
    return { ...page(openPageHeaders, body), status: code === 'unauthorized' ? 404 : 403 }
  }

  /** Returns the session of the cookie, if it is one of this checkout. */
  async function sessionOf(call: Call): Promise<VerifiedSession | undefined> {
    const cookies = singleHeader(call.request, 'cookie')?.split(/; */) ?? []
    // A sibling host may have set another one of this name, which only this service can make valid.
    for (const cookie of cookies) {
      if (!cookie.startsWith(`${cookieName}=`)) continue
      const session = await tokens.verify(cookie.slice(cookieName.length + 1), intents.now())
      if (session?.id !== call.params.id) continue
      call.isKnown = true
      return session
    }
    return undefined
  }

  /** Opens the session, and redirects: a page that a post returns would be kept with the secret in the history. */
  const open: Handler = async (call) => {
    const field = await formBody(call.request, formBytes)
    const { id = '' } = call.params
    if (!intentIdPattern.test(id)) return showError(call, 'unauthorized')
    const returnUrl = field('returnUrl')
    const origin = URL.canParse(returnUrl) ? new URL(returnUrl).origin : ''
    try {
      const body = { id, clientSecret: field('clientSecret'), origin }
      const { token, snapshot } = await openSession(options, body)
      const { environment } = snapshot
      call.environment = environment
      call.isKnown = true
      const { allowedOrigins: registered, mode } = environment
      // The form must be one of a registered page, which browsers name with each post.
      const isRegistered = registered.includes(call.request.headers.origin ?? '')
      if (!isRegistered || !readFullReturnUrl(returnUrl, { publicUrl, snapshot })) {
        return showError(call, 'origin_not_allowed', mode)
      }
      const query = new URLSearchParams({ return: returnUrl })
      for (const name of ['locale', 'appearance']) {
        if (field(name) !== '') query.set(name, field(name))
        // A bank must be able to return to the page.
        if (query.toString().length >= maxUrlLength) query.delete(name)
      }
      const { path: location, cookie } = fullPageOf(publicUrl, { id, token, query })
      return { status: 303, base: openPageHeaders, headers: { location, 'set-cookie': cookie } }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (error.code === 'origin_not_allowed') return showError(call, 'origin_not_allowed')
      if (error.code === 'payment_intent_not_found') return showError(call, 'unauthorized')
      throw error
    }
  }

  const show: Handler = async (call) => {
    const { id = '' } = call.params
    const snapshot = intentIdPattern.test(id) ? await load(intents, id) : undefined
    if (!snapshot) return showError(call, 'unauthorized')
    const { mode } = snapshot.environment
    call.environment = snapshot.environment
    const returnUrl = readFullReturnUrl(call.query.get('return') ?? '', { publicUrl, snapshot })
    if (!returnUrl) return showError(call, 'origin_not_allowed', mode)
    // After the end, and without a cookie, as where the browser denies them, the way on is the shop.
    const session = await sessionOf(call)
    const isOfInspector = returnUrl === inspectorUrl(publicUrl, id)
    const isOpen = session && (isOfInspector || session.origin === new URL(returnUrl).origin)
    if (!isOpen || isFinal(snapshot.intent.status)) {
      return { status: 303, base: openPageHeaders, headers: { location: returnUrl } }
    }
    const locale = call.query.get('locale') ?? ''
    const appearance = call.query.get('appearance') ?? ''
    const headers = checkoutHeaders({
      frameAncestors: [],
      challengeOrigin: challengeUrl,
      styleSource: checkoutStyleSource(hostedFolder),
    })
    const values = { mode, now: intents.now(), full: { return: returnUrl, locale, appearance } }
    const { orderId, amount, currency } = snapshot.intent
    const { merchantName } = snapshot.environment
    const order = { merchantName, orderId, amount, currency, checkoutOrigin: publicUrl }
    const body = checkoutPage(hostedFolder, { registered: [], order, ...values })
    return compressed(call, page({ ...headers, 'x-frame-options': 'DENY' }, body))
  }

  return { open, show, sessionOf }
}

/**
 * Returns the address of the full page, for the way back from a bank. Like every address of it, it opens the page only
 * with the cookie.
 *
 * @param query - Starts with `?`, and names the shop's address, which must be on a registered origin.
 */
export function readFullPage(
  query: string,
  { publicUrl, snapshot }: { readonly publicUrl: string; readonly snapshot: Snapshot },
): string | undefined {
  const { href, searchParams } = new URL(query, `${publicUrl}/checkout/${snapshot.intent.id}/page`)
  return readFullReturnUrl(searchParams.get('return') ?? '', { publicUrl, snapshot }) && href
}

/** Returns the address of an intent in the inspector, to which a test checkout returns. */
export function inspectorUrl(publicUrl: string, id: string): string {
  return `${publicUrl}${routes.inspector.path}#/intents/${id}`
}

function readFullReturnUrl(
  text: string,
  { publicUrl, snapshot }: { readonly publicUrl: string; readonly snapshot: Snapshot },
): string | undefined {
  const { environment, intent } = snapshot
  if (environment.mode === 'test' && text === inspectorUrl(publicUrl, intent.id)) return text
  return text.length > maxReturnUrl ? undefined : readReturnUrl(text, environment.allowedOrigins)
}
