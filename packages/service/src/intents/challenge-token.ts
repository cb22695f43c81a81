/**
 * One-time tokens of a bank's challenge: `<intent id>.<random>.<mac>`. The id finds the intent, which stores the hash of
 * the newest token only. The MAC shows of a used token that it was issued.
 *
 * @module
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { intentIdPattern } from '../ids.ts'
import { isSameSecret, type SecretKeys } from '../secret-keys.ts'

/** Step that a token allows: opening the code form, or submitting it. */
export type Step = 'enter' | 'answer'

export function newToken(keys: SecretKeys, intentId: string, step: Step): string {
  const body = `${intentId}.${randomBytes(24).toString('base64url')}`
  return `${body}.${macOf(keys, body, step)}`
}

/** Returns the intent of a token that was issued for this step, also if it is used. */
export function intentOfToken(keys: SecretKeys, token: string, step: Step): string | undefined {
  const [id = '', random = '', mac = '', ...more] = token.split('.')
  if (more.length > 0 || !intentIdPattern.test(id)) return undefined
  return isSameSecret(mac, macOf(keys, `${id}.${random}`, step)) ? id : undefined
}

export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

function macOf(keys: SecretKeys, body: string, step: Step): string {
  return createHmac('sha256', keys.derive('challenge-token'))
    .update(`${step}\0${body}`)
    .digest('base64url')
}
