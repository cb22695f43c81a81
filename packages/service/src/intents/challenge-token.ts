/**
 * One-time tokens of a bank's challenge: `<intent id>.<random>.<mac>`. The id finds the intent, which stores the hash of
 * the newest token only. The MAC shows of a used token that it was issued.
 *
 * @module
 */
import { hash, randomBytes } from 'node:crypto'
import type { SecretKeys } from '../secret-keys.ts'
import { readToken, signToken } from '../signed-token.ts'

/** Step that a token allows: opening the code form, or submitting it. */
export type Step = 'enter' | 'answer'

export function newToken(keys: SecretKeys, intentId: string, step: Step): string {
  const body = `${intentId}.${randomBytes(24).toString('base64url')}`
  return signToken(keys, 'challenge-token', { context: step, body })
}

/** Returns the intent of a token that was issued for this step, also if it is used. */
export function intentOfToken(keys: SecretKeys, token: string, step: Step): string | undefined {
  return readToken(keys, 'challenge-token', { context: step, token })?.split('.', 1)[0]
}

export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url')
}
