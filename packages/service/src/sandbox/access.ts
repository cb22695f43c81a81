/**
 * Access to the sandbox: a client on this host, under a name of this host, with the admin token of this
 * start. In a container even its own host is another one, so a setting leaves it to the token and to the
 * host check.
 *
 * @module
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopback } from '@pi-checkout/contract/origin'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/problem.ts'
import { singleHeader } from '../http/single-header.ts'

/** Hides the sandbox from other hosts and behind public names. */
export function checkLocal({ request }: Call): void {
  const { hostname } = new URL(`http://${request.headers.host ?? ''}`)
  if (isLocalAddress(request.socket.remoteAddress) && isLoopback(hostname)) return
  throw new ProblemError('not_found', 'No resource has this address. See /docs.')
}

export function adminCheck(adminToken: string): (call: Call) => void {
  const expected = digest(adminToken)
  return ({ request }) => {
    const sent = singleHeader(request, 'authorization')
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(sent ?? '') ?? []
    if (timingSafeEqual(digest(token), expected)) return
    throw new ProblemError(
      'invalid_admin_token',
      'Send the admin token that this start of the service printed, as Authorization: Bearer <TOKEN>.',
      { headers: { 'www-authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' } },
    )
  }
}

/** Rejects the character that the store accepts in no text, wherever it is in an address. */
export function checkNull({ request }: Call): void {
  if (!request.url?.includes('%00')) return
  throw new ProblemError('validation_failed', 'The address must not hold U+0000.')
}

function isLocalAddress(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '')
  return plain === '::1' || plain?.startsWith('127.') === true
}

// timingSafeEqual throws on unequal lengths: digests are all 32 bytes.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
