/**
 * Who may control the sandbox: whoever is on this machine, speaks to it by a name of this machine, and
 * holds this start's admin token. In a container even its own host is another machine, so a setting
 * leaves it to the token, and to the host check that stands before every page.
 *
 * @module
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopback } from '@pi-checkout/contract/origin'
import type { RequestHandler } from 'express'
import { onlyHeader } from '../http/only-header.ts'
import { ProblemError } from '../http/problem.ts'

/** Hides the sandbox from other machines and behind public names. */
export const localOnly: RequestHandler = (request, _response, next) => {
  const { hostname } = new URL(`http://${request.headers.host ?? ''}`)
  if (isLocalAddress(request.socket.remoteAddress) && isLoopback(hostname)) return next()
  next(new ProblemError('not_found', 'There is nothing at this address; see /docs.'))
}

/** Lets the holder of the admin token through. */
export function adminOnly(adminToken: string): RequestHandler {
  const expected = digest(adminToken)
  return (request, _response, next) => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(onlyHeader(request, 'authorization') ?? '') ?? []
    if (timingSafeEqual(digest(token), expected)) return next()
    next(
      new ProblemError(
        'invalid_admin_token',
        'Send the admin token that this start of the service printed, as Authorization: Bearer <TOKEN>.',
        {
          headers: {
            'www-authenticate': request.headers.authorization
              ? 'Bearer error="invalid_token"'
              : 'Bearer',
          },
        },
      ),
    )
  }
}

/** Refuses what the store takes in no text, wherever in an address it stands. */
export const noNull: RequestHandler = ({ originalUrl }, _response, next) => {
  if (!originalUrl.includes('%00')) return next()
  next(new ProblemError('validation_failed', 'The address must not hold U+0000.'))
}

function isLocalAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '')
  return plain === '::1' || plain?.startsWith('127.') === true
}

// timingSafeEqual throws on unequal lengths: digests are all 32 bytes.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
