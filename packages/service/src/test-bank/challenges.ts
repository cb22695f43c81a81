/** The steps of a challenge at the test bank. Each needs the one-time token of a form. @module */
import { newProviderPaymentId } from '../ids.ts'
import { hashOfToken, intentOfToken, newToken, type Step } from '../intents/challenge-token.ts'
import { type Challenge, stateOf } from '../intents/intent.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { change, type IntentStore, load, type Snapshot } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'

/** A form that a buyer sends. `code` is `undefined` if the buyer canceled. */
export interface Entry {
  readonly token: string
  readonly display: Challenge['type']
  readonly code: string | undefined
}

export type Outcome =
  /** The form asks for a code, for example after a wrong one. */
  | {
      readonly next: 'ask'
      readonly snapshot: Snapshot
      readonly challenge: Challenge
      readonly token: string
    }
  /** The bank has decided. The hosted page reads the result. */
  | { readonly next: 'done'; readonly snapshot: Snapshot; readonly returnPage: string | null }
  /** The token is not valid. Only pages of these origins may frame the note about an issued one. */
  | { readonly next: 'over'; readonly origins: readonly string[] }

/** @param step - `enter` exchanges the token of the hosted page for that of the code form, and `answer` submits the code. */
export async function takeStep(
  { intents, keys }: { readonly intents: IntentStore; readonly keys: SecretKeys },
  step: Step,
  { token, display, code }: Entry,
): Promise<Outcome> {
  const id = intentOfToken(keys, token, step)
  const found = id && (await load(intents, id))
  if (!found) return { next: 'over', origins: [] }
  const { allowedOrigins } = found.environment
  const over = { next: 'over', origins: allowedOrigins } as const
  const { origin } = stateOf(found.intent).challenge ?? {}
  if (!origin || !allowedOrigins.includes(origin)) return over
  const next = newToken(keys, found.intent.id, 'answer')
  const tokens = { display, token: hashOfToken(token), next: hashOfToken(next) }
  const cause: Cause =
    step === 'enter'
      ? { type: 'challenge_entered', ...tokens }
      : { type: 'challenge_answered', code, providerPaymentId: newProviderPaymentId(), ...tokens }
  const changed = await change(intents, found.intent.id, cause)
  if (!changed || changed.rejection) return over
  const { challenge } = stateOf(changed.intent)
  if (challenge) return { next: 'ask', snapshot: changed, challenge, token: next }
  const { returnPage = null } = stateOf(changed.before).challenge ?? {}
  return { next: 'done', snapshot: changed, returnPage }
}
