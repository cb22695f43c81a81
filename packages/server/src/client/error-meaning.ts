/** What an error response means, by the profile of its service. @module */
import { problemCodes } from '@pi-checkout/contract/problem'
import { type ErrorMatch, ownProfile, type Profile } from '@pi-checkout/contract/profile'
import { type ApiErrorCode, knownCode } from './error-codes.ts'

export interface ErrorResponse {
  readonly operation: 'create' | 'retrieve'
  readonly status: number
  /** `undefined` if it is not JSON. */
  readonly body: unknown
}

export interface ErrorMeaning {
  readonly code: ApiErrorCode | 'idempotency_key_reused'
  /** Whether the same request may have another response later. */
  readonly transient: boolean
}

/** Returns the meaning of an error response. Of an unknown service, only the HTTP status has one. */
export function readMeaning(
  { operation, status, body }: ErrorResponse,
  profile: Profile | undefined,
): ErrorMeaning {
  const sent = profile && valueAt(body, profile.errors.code)
  const is = (match: ErrorMatch | null | undefined): boolean =>
    match?.status === status && (match.code === undefined || match.code === sent)
  if (operation === 'create' && is(profile?.errors.keyReused)) {
    return { code: 'idempotency_key_reused', transient: false }
  }
  if (operation === 'retrieve' && is(profile?.errors.unknownIntent)) {
    return { code: 'payment_intent_not_found', transient: false }
  }
  const code = profile === ownProfile ? knownCode(sent) : 'unexpected_response'
  const transient =
    [408, 425, 429].includes(status) ||
    status >= 500 ||
    // Without a code of ours, the conflict may be with a request that is running.
    (status === 409 && !(profile === ownProfile && isProblemCode(sent))) ||
    profile?.errors.transient.some(is) === true
  return { code, transient }
}

function isProblemCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code)
}

/** Returns the value at a JSON Pointer. @see RFC 6901 */
export function valueAt(body: unknown, pointer: string | null): unknown {
  if (pointer === null) return undefined
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((value, name) => Reflect.get(Object(value), name), body)
}
