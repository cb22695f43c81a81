/** Tokens that only this service creates: `<body>.<mac>`. The first secret key signs, and all of them verify. @module */
import { createHmac } from 'node:crypto'
import { isSameSecret, type SecretKeys } from './secret-keys.ts'

type Purpose = 'checkout-token' | 'challenge-token'

/** @param token - `context` is what the token is for. `body` may have dots. */
export function signToken(
  keys: SecretKeys,
  purpose: Purpose,
  token: { readonly context: string; readonly body: string },
): string {
  return `${token.body}.${macOf(keys, { ...token, purpose, kid: keys.currentKid })}`
}

/** Returns the body of a token that was signed for this purpose and context. */
export function readToken(
  keys: SecretKeys,
  purpose: Purpose,
  { context, token }: { readonly context: string; readonly token: string },
): string | undefined {
  const end = token.lastIndexOf('.')
  const [body, mac] = [token.slice(0, end), token.slice(end + 1)]
  const isSigned = keys.kids.some((kid) =>
    isSameSecret(mac, macOf(keys, { purpose, kid, context, body })),
  )
  return end > 0 && isSigned ? body : undefined
}

function macOf(
  keys: SecretKeys,
  signed: {
    readonly purpose: Purpose
    readonly kid: string
    readonly context: string
    readonly body: string
  },
): string {
  const key = keys.derive(signed.purpose, signed.kid)
  if (!key) throw new Error('PI_SECRET_KEYS lacks a key that it listed')
  return createHmac('sha256', key).update(`${signed.context}\0${signed.body}`).digest('base64url')
}
