/** The hosted page as a separate page. A form post opens it, and a cookie for one checkout is its session. @module */
import { isFinal } from '@pi-checkout/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { type App, parseForms } from '../http/app.ts'
import { openPageHeaders } from '../http/page-headers.ts'
import { ProblemError } from '../http/problem.ts'
import { intentIdPattern } from '../ids.ts'
import type { Snapshot } from '../intents/store.ts'
import type { AppOptions } from '../options.ts'
import { tokenLifetimes, type Verified } from '../tokens.ts'
import { sendCheckoutPage, sendErrorPage } from './pages.ts'
import { maxUrlLength, readReturnUrl } from './return-url.ts'
import type { Sessions } from './sessions.ts'

/** A form has a secret, an address, a locale, and an appearance. */
const formBytes = 16_384
/** The address is a parameter of another one, percent-encoded. */
const maxReturnUrl = 2048
const cookieName = 'pi-checkout'

/** Returns the page of a checkout, and the cookie with the token of its session. */
function fullPageOf(
  publicUrl: string,
  {
    id,
    token,
    query,
  }: { readonly id: string; readonly token: string; readonly query: URLSearchParams },
): { readonly path: string; readonly cookie: string } {
  const path = `/checkout/${id}`
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const attributes = `Max-Age=${tokenLifetimes['full-page'] / 1000}; HttpOnly; SameSite=Lax${secure}`
  return {
    path: `${path}/page?${query}`,
    cookie: `${cookieName}=${token}; Path=${path}; ${attributes}`,
  }
}

/** Returns the session of a full page's cookie, if it is one of this checkout. */
export async function sessionOfCookie(
  sessions: Sessions,
  { headers }: FastifyRequest,
  id: string,
): Promise<Verified | undefined> {
  // A sibling host may have set another one of this name, which only this service can make valid.
  for (const cookie of headers.cookie?.split(/; */) ?? []) {
    if (!cookie.startsWith(`${cookieName}=`)) continue
    const session = await sessions.verify('full-page', cookie.slice(cookieName.length + 1))
    if (session?.id === id) return session
  }
  return undefined
}

export function addFullPageRoutes(app: App, options: AppOptions): void {
  const { publicUrl, intents, sessions } = options
  parseForms(app, formBytes)

  function showMissing(reply: FastifyReply): FastifyReply {
    return sendErrorPage(reply.code(404), { code: 'unauthorized' })
  }

  function showClosed(reply: FastifyReply, mode = ''): FastifyReply {
    return sendErrorPage(reply.code(403), { code: 'origin_not_allowed', mode })
  }

  // Opens the session, and redirects: a page that a post returns would be kept with the secret in the history.
  app.post(
    routes.openFullPage.path,
    { schema: { params: IdSchema, body: FormSchema } },
    async (request, reply) => {
      const { id } = request.params
      const { clientSecret, returnUrl, locale, appearance } = request.body
      if (!intentIdPattern.test(id)) return showMissing(reply)
      const origin = URL.canParse(returnUrl) ? new URL(returnUrl).origin : ''
      try {
        const handoff = { id, clientSecret, origin }
        const { token, snapshot } = await sessions.open('full-page', handoff)
        const { environment } = snapshot
        const { allowedOrigins: registered, mode } = environment
        // The form must be one of a registered page, which browsers name with each post.
        const isRegistered = registered.includes(request.headers.origin ?? '')
        if (!isRegistered || !readFullReturnUrl(returnUrl, registered)) {
          return showClosed(reply, mode)
        }
        const query = new URLSearchParams({ return: returnUrl })
        for (const [name, value] of Object.entries({ locale, appearance })) {
          if (value !== '') query.set(name, value)
          // A bank must be able to return to the page.
          if (query.toString().length >= maxUrlLength) query.delete(name)
        }
        const { path, cookie } = fullPageOf(publicUrl, { id, token, query })
        return reply.headers({ ...openPageHeaders, 'set-cookie': cookie }).redirect(path, 303)
      } catch (error) {
        const code = error instanceof ProblemError ? error.code : undefined
        if (code === 'origin_not_allowed') return showClosed(reply)
        if (code !== 'payment_intent_not_found') throw error
        return showMissing(reply)
      }
    },
  )

  app.get(
    routes.fullPage.path,
    { schema: { params: IdSchema, querystring: QuerySchema } },
    async (request, reply) => {
      const { id } = request.params
      const { return: sent, locale, appearance } = request.query
      const snapshot = intentIdPattern.test(id) ? await intents.load(id) : undefined
      if (!snapshot) return showMissing(reply)
      const { environment, intent } = snapshot
      const returnUrl = readFullReturnUrl(sent, environment.allowedOrigins)
      if (!returnUrl) return showClosed(reply, environment.mode)
      // After the end, and without a cookie, as where the browser denies them, the way on is the shop.
      const session = await sessionOfCookie(sessions, request, id)
      const isOpen = session?.origin === new URL(returnUrl).origin
      if (!isOpen || isFinal(intent.status)) {
        return reply.headers(openPageHeaders).redirect(returnUrl, 303)
      }
      const full = { return: returnUrl, locale, appearance }
      return sendCheckoutPage(reply, options, { environment, full })
    },
  )
}

/** Path of a checkout. */
export const IdSchema = z.object({ id: z.string() })

const Text = z.string().default('')
const FormSchema = z
  .object({ clientSecret: Text, returnUrl: Text, locale: Text, appearance: Text })
  .prefault({})
const QuerySchema = z.object({ return: Text, locale: Text, appearance: Text })

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
  const { allowedOrigins } = snapshot.environment
  return readFullReturnUrl(searchParams.get('return') ?? '', allowedOrigins) && href
}

function readFullReturnUrl(text: string, allowedOrigins: readonly string[]): string | undefined {
  return text.length > maxReturnUrl ? undefined : readReturnUrl(text, allowedOrigins)
}
