/** The session: one cookie of 256 random bits. The database contains only its hash. @module */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'

export interface Sessions {
  /**
   * Returns the id of the session, or `undefined` if the request has none.
   *
   * It is a hash, so that the database cannot be used to take over a session.
   */
  readonly of: (request: Pick<IncomingMessage, 'headers'>) => string | undefined
  /** Sets the cookie with each page. A session expires 30 days after its last page, not during a payment. */
  readonly start: RequestHandler
}

const lifetime = 30 * 24 * 60 * 60 * 1000

/** @param shopOrigin - Only https can use the `__Host-` prefix. */
export function sessionsAt(shopOrigin: string): Sessions {
  const secure = shopOrigin.startsWith('https:')
  // Without Secure on http loopback: WebKit drops such cookies there (WebKit bug 281149).
  const name = secure ? '__Host-sid' : 'sid'
  const pattern = new RegExp(`(?:^|; ?)${name}=([A-Za-z0-9_-]{43})(?:;|$)`)

  function cookieOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
    return pattern.exec(headers.cookie ?? '')?.[1]
  }

  function of(request: Pick<IncomingMessage, 'headers'>): string | undefined {
    const value = cookieOf(request)
    return value && createHash('sha256').update(`shop-session|${value}`).digest('base64url')
  }

  return {
    of,
    start(req, res, next) {
      const value = cookieOf(req) ?? randomBytes(32).toString('base64url')
      // Lax keeps the session when the bank's page returns to the shop.
      const options = { httpOnly: true, secure, path: '/', sameSite: 'lax' } as const
      res.cookie(name, value, { ...options, maxAge: lifetime })
      next()
    },
  }
}
