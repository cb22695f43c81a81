/**
 * The steps of a challenge at the test bank. Each needs a one-time token, which is part of a form.
 *
 * A challenge is open while its confirmation waits for it, its deadline has not passed, and its session is valid.
 *
 * @module
 */
import { newProviderPaymentId } from '../ids.ts'
import { hashOfToken, intentOfToken, newToken, type Step } from '../intents/challenge-token.ts'
import { type Challenge, stateOf } from '../intents/intent.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { change, type IntentStore, load, type Snapshot } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'

export interface BankStore {
  readonly intents: IntentStore
  readonly keys: SecretKeys
}

/** What a buyer does with the token of a form. */
export interface Entry {
  readonly token: string
  readonly display: Challenge['type']
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

/** Exchanges the token of the hosted page for the token of the code form. */
export async function enterChallenge(store: BankStore, entry: Entry): Promise<Outcome> {
  return await take(store, entry, 'enter', (step) => ({ type: 'challenge_entered', ...step }))
}

/** @param entry - `code` is `undefined` if the buyer canceled. */
export async function submitCode(
  store: BankStore,
  entry: Entry & { readonly code: string | undefined },
): Promise<Outcome> {
  const providerPaymentId = newProviderPaymentId()
  const { code } = entry
  return await take(store, entry, 'answer', (step) => ({
    ...{ type: 'challenge_answered', code, providerPaymentId },
    ...step,
  }))
}

async function take(
  { intents, keys }: BankStore,
  { token, display }: Entry,
  step: Step,
  causeOf: (tokens: {
    readonly display: Challenge['type']
    readonly token: string
    readonly next: string
  }) => Cause,
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
  const changed = await change(intents, found.intent.id, causeOf(tokens))
  if (!changed || changed.rejection) return over
  const { challenge } = stateOf(changed.intent)
  if (challenge) return { next: 'ask', snapshot: changed, challenge, token: next }
  const { returnPage = null } = stateOf(changed.before).challenge ?? {}
  return { next: 'done', snapshot: changed, returnPage }
}
