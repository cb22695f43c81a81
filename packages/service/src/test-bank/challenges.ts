/**
 * Challenges in the store. The hosted page opens them, and the test bank decides them.
 *
 * Each step needs a one-time token of 256 bits, which is part of a form. The store keeps the hashes of used
 * tokens, because they determine which pages may frame the note about a used token. A challenge is open while
 * its confirmation waits for it, its deadline has not passed, and its session is valid.
 *
 * @module
 */
import { hash, randomBytes } from 'node:crypto'
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import { type IntentSnapshot, loadIntent } from '../checkout/intent-snapshot.ts'
import {
  challengeCanceled,
  readProviderResult,
  transitionCause,
} from '../checkout/provider-result.ts'
import type { Queryable } from '../db/database.ts'
import { randomBase62 } from '../ids.ts'
import type { IntentKey } from '../intents/intent-row.ts'
import { applyCauses, type StoreAndClock } from '../intents/intents.ts'
import type { Cause, Failure } from '../intents/lifecycle.ts'
import { maxChallengeTries } from '../intents/lifetimes.ts'

/** Display of a challenge: in an iframe of the hosted page, or as a separate page. */
export type ChallengeDisplay = 'frame' | 'page'

/** Step that a token allows: opening the code form, or submitting it. */
export type Step = 'enter' | 'answer'

export interface EnteredChallenge extends IntentSnapshot {
  /** One-time token of the next step. */
  readonly token: string
  readonly tries: number
  readonly returnPage: string | null
}

export type ChallengeOutcome =
  /** The code was wrong, and there are tries left. */
  | { readonly next: 'ask'; readonly challenge: EnteredChallenge }
  /** The challenge was decided. The hosted page reads the result. */
  | { readonly next: 'done'; readonly snapshot: IntentSnapshot; readonly returnPage: string | null }

/** Opens the challenge of an intent. Earlier tokens become invalid. Returns the first step's token. */
export async function openChallenge(
  db: Queryable,
  { intent, at }: IntentSnapshot,
  { origin, returnPage }: { readonly origin: string; readonly returnPage: string | null },
): Promise<string | undefined> {
  if (!intent.nextAction) return undefined
  const display: ChallengeDisplay = intent.nextAction.type === 'redirect' ? 'page' : 'frame'
  const token = newToken()
  const opened = await db.query`
    with opened as (
      insert into challenges (id, intent_id, attempt_id, presentation, token_hash, origin, return_page,
                              expires_at, created_at)
      select ${`ch_${randomBase62(24)}`}, intent_id, attempt_id, ${display},
             ${hashOf('enter', token)}, ${origin}, ${returnPage}, ${intent.nextAction.expiresAt}, ${at}
        from payment_attempts
       where intent_id = ${intent.id} and state = 'challenge'
      on conflict (intent_id, attempt_id) do update
         set token_hash = excluded.token_hash, origin = excluded.origin,
             return_page = excluded.return_page
       where challenges.closed_at is null
      returning id, token_hash
    )
    insert into challenge_tokens (token_hash, challenge_id)
    select token_hash, id from opened
    returning challenge_id`
  return opened.length > 0 ? token : undefined
}

/** Exchanges the token of the hosted page for the token of the code form. */
export async function enterChallenge(
  store: StoreAndClock,
  { token, display }: { readonly token: string; readonly display: ChallengeDisplay },
): Promise<EnteredChallenge | undefined> {
  const next = newToken()
  const row = await spend(store.db, 'enter', { token, next, display })
  if (!row) return undefined
  const snapshot = await loadIntent(store, row)
  if (snapshot?.intent.status !== 'requires_action') return undefined
  return { ...snapshot, token: next, tries: row.tries, returnPage: row.returnPage }
}

export async function submitCode(
  { db, now }: StoreAndClock,
  {
    token,
    display,
    code,
  }: {
    readonly token: string
    readonly display: ChallengeDisplay
    /** Code, or `undefined` if the buyer canceled. */
    readonly code: string | undefined
  },
): Promise<ChallengeOutcome | undefined> {
  const next = newToken()
  return await db.transaction(async (tx) => {
    const row = await spend(tx, 'answer', { token, next, display })
    if (!row) return undefined
    const snapshot = await loadIntent({ db: tx, now }, row)
    if (snapshot?.intent.status !== 'requires_action') return undefined
    const { challengeId, returnPage } = row
    const result = judge(code, row.tries)
    if (result === 'again') {
      const tries = row.tries + 1
      await tx.query`update challenges set tries = ${tries} where id = ${challengeId}`
      return { next: 'ask', challenge: { ...snapshot, token: next, tries, returnPage } }
    }
    await tx.query`
      update challenges set token_hash = null, closed_at = ${snapshot.at} where id = ${challengeId}`
    const causes: readonly Cause[] =
      result === 'passed'
        ? [{ type: 'challenge_passed' }, transitionCause(readProviderResult(row.outcome))]
        : [{ type: 'challenge_failed', failure: result }]
    const intent = await applyCauses(tx, snapshot.intent, { causes, at: snapshot.at })
    if ('rejection' in intent) return undefined
    return { next: 'done', snapshot: { ...snapshot, intent }, returnPage }
  })
}

/**
 * Returns the origins whose pages may frame the note about an invalid token. They are known for used and
 * expired tokens as long as the checkout can be opened, and for unknown tokens there are none.
 */
export async function originsOfToken(
  db: Queryable,
  { token, step }: { readonly token: string; readonly step: Step },
): Promise<readonly string[]> {
  const [issued] = await db.query<{ allowedOrigins: readonly string[] }>`
    select e.allowed_origins as "allowedOrigins"
      from challenge_tokens t
      join challenges c on c.id = t.challenge_id
      join payment_intents i on i.id = c.intent_id
      join environments e on e.id = i.environment_id
     where t.token_hash = ${hashOf(step, token)}`
  return issued?.allowedOrigins ?? []
}

interface ChallengeRow extends IntentKey {
  readonly challengeId: string
  readonly tries: number
  readonly returnPage: string | null
  readonly outcome: string
}

/**
 * Replaces a token with the next one, in one statement, so that only one of two submissions is accepted.
 * Tokens are valid until the session's origin is removed or the `clientSecret` is revoked.
 */
async function spend(
  db: Queryable,
  step: Step,
  {
    token,
    next,
    display,
  }: { readonly token: string; readonly next: string; readonly display: ChallengeDisplay },
): Promise<ChallengeRow | undefined> {
  const [row] = await db.query<ChallengeRow>`
    with spent as (
      update challenges c set token_hash = ${hashOf('answer', next)}
        from payment_attempts a
        join payment_intents i on i.id = a.intent_id
        join environments e on e.id = i.environment_id
       where c.token_hash = ${hashOf(step, token)} and c.presentation = ${display}
         and c.closed_at is null
         and i.secret_salt is not null
         and (c.origin is null or c.origin = any(e.allowed_origins))
         and a.intent_id = c.intent_id and a.attempt_id = c.attempt_id and a.state = 'challenge'
      returning c.id as "challengeId", c.tries, c.return_page as "returnPage", c.token_hash,
                a.outcome, i.id, i.environment_id as "environmentId"
    ), issued as (
      insert into challenge_tokens (token_hash, challenge_id)
      select token_hash, "challengeId" from spent
    )
    select "challengeId", tries, "returnPage", outcome, id, "environmentId" from spent`
  return row
}

function judge(code: string | undefined, tries: number): 'passed' | 'again' | Failure {
  if (code === undefined) return challengeCanceled.failure
  if (code === challengeCodes.passes) return 'passed'
  if (code === challengeCodes.denied) return failures.denied
  if (code === challengeCodes.bankError) return failures.unavailable
  return tries + 1 < maxChallengeTries ? 'again' : failures.denied
}

const failures = {
  denied: {
    code: 'authentication_failed',
    declineCode: 'authentication_denied',
    message: 'Your bank did not confirm the payment. Try again or use another card.',
  },
  unavailable: {
    code: 'authentication_failed',
    declineCode: 'authentication_unavailable',
    message: 'Your bank could not confirm the payment just now. Try another card.',
  },
} as const satisfies Record<string, Failure>

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a token with its step, so that it is not valid for another step. */
function hashOf(step: Step, token: string): Buffer {
  return hash('sha256', `${step}|${token}`, 'buffer')
}
