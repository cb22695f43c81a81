/**
 * Restricts the sandbox to clients on this host that send the admin token of this start. `PI_SANDBOX=network` allows
 * other hosts, because a container sees its own host as another one.
 *
 * @module
 */
import { isLoopback } from '@pi-checkout/contract/origin'
import type { FastifyRequest } from 'fastify'
import { notFound, ProblemError } from '../http/problem.ts'
import { isSameSecret } from '../secret-keys.ts'

/** Rejects requests from other hosts, and requests for a public host name, with 404. */
export function checkLocal({ headers, socket }: FastifyRequest): void {
  const { hostname } = new URL(`http://${headers.host ?? ''}`)
  const address = socket.remoteAddress?.replace(/^::ffff:/, '')
  const isLocal = address === '::1' || address?.startsWith('127.')
  if (!isLocal || !isLoopback(hostname)) throw notFound()
}

export function adminCheck(adminToken: string): (request: FastifyRequest) => void {
  return ({ headers: { authorization: sent } }) => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(sent ?? '') ?? []
    if (isSameSecret(token, adminToken)) return
    throw new ProblemError(
      'invalid_admin_token',
      'Send the admin token that this start of the service printed, as Authorization: Bearer <TOKEN>.',
      { headers: { 'www-authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' } },
    )
  }
}

/** Rejects U+0000 in an address, because PostgreSQL does not accept it in text. */
export function checkNull({ url }: FastifyRequest): void {
  if (!url.includes('%00')) return
  throw new ProblemError('validation_failed', 'The address must not contain U+0000.')
}
