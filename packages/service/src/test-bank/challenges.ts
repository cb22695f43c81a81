/**
 * Challenges in the store: opened by the hosted page, decided at the test bank.
 *
 * Each step needs a one-time token of 256 bits that exists in one form of one page; the store keeps
 * the hash of each, so that a page which is opened again still knows where it may be shown. A
 * challenge is open while its attempt waits for it, its time has not run out, and the session that opened
 * it would still be accepted.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import { type IntentSnapshot, loadIntent } from '../checkout/intent-snapshot.ts'
import {
  challengeCanceled,
  readProviderResult,
  transitionCause,
} from '../checkout/provider-result.ts'
import type { Queryable } from '../db/database.ts'
import { randomBase62 } from '../ids.ts'
import { applyCauses, type IntentKey, type StoreAndClock } from '../intents/intents.ts'
import type { Cause, Failure } from '../intents/lifecycle.ts'
import { maxChallengeTries } from '../intents/lifetimes.ts'

/** In a frame of the hosted page, or as a separate page. */
export type ChallengeDisplay = 'frame' | 'page'

/** What a token is for: to open the code form, or to submit it. */
export type Step = 'enter' | 'answer'

/** What the test bank's page may show and do. */
export interface EnteredChallenge extends IntentSnapshot {
  /** For the next step, once. */
  readonly token: string
  readonly tries: number
  readonly returnPage: string | null
}

/** The result of a submitted code. */
export type ChallengeOutcome =
  /** Asked again: the code was wrong and there are tries left. */
  | { readonly next: 'ask'; readonly challenge: EnteredChallenge }
  /** Decided; the hosted page reads how. */
  | { readonly next: 'done'; readonly snapshot: IntentSnapshot; readonly returnPage: string | null }

/**
 * Opens the challenge of the attempt that waits for one, and ends every older token of it.
 *
 * @param session `origin`: of the session that opens it · `returnPage`: the merchant's page, checked; for
 * the full-page variant alone.
 * @returns The token of its first step, or `undefined` when the intent waits for no challenge.
 */
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

/** Exchanges the hosted page's token for that of the code form. */
export async function enterChallenge(
  store: StoreAndClock,
  { token, display }: { readonly token: string; readonly display: ChallengeDisplay },
): Promise<EnteredChallenge | undefined> {
  const next = newToken()
  const row = await spend(store.db, {
    hash: hashOf('enter', token),
    nextHash: hashOf('answer', next),
    display,
  })
  if (!row) return undefined
  const snapshot = await loadIntent(store, row)
  if (snapshot?.intent.status !== 'requires_action') return undefined
  return { ...snapshot, token: next, tries: row.tries, returnPage: row.returnPage }
}

/** Takes the buyer's code, or their cancellation. */
export async function submitCode(
  { db, now }: StoreAndClock,
  answer: {
    readonly token: string
    readonly display: ChallengeDisplay
    /** `undefined`: the buyer pressed Cancel. */
    readonly code: string | undefined
  },
): Promise<ChallengeOutcome | undefined> {
  const next = newToken()
  return await db.transaction(async (tx) => {
    const row = await spend(tx, {
      hash: hashOf('answer', answer.token),
      nextHash: hashOf('answer', next),
      display: answer.display,
    })
    if (!row) return undefined
    const snapshot = await loadIntent({ db: tx, now }, row)
    if (snapshot?.intent.status !== 'requires_action') return undefined
    const verdict = judge(answer.code, row.tries)
    if (verdict === 'again') {
      await tx.query`update challenges set tries = tries + 1 where id = ${row.challengeId}`
      const { returnPage } = row
      return {
        next: 'ask',
        challenge: { ...snapshot, token: next, tries: row.tries + 1, returnPage },
      }
    }
    await tx.query`
      update challenges set token_hash = null, closed_at = ${snapshot.at}
       where id = ${row.challengeId}`
    const causes = verdict === 'passed' ? passed(row.outcome) : [failed(verdict)]
    const intent = await applyCauses(tx, snapshot.intent, { causes, at: snapshot.at })
    if ('rejection' in intent) return undefined
    return { next: 'done', snapshot: { ...snapshot, intent }, returnPage: row.returnPage }
  })
}

/**
 * Finds the origins whose pages may show that a token is over. A token that was issued names its
 * environment as long as the checkout may be seen, spent or late; one that never was names none.
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
 * Uses a token up and puts the next one in its place, in one statement: of two presses one counts. A token
 * counts as long as its session does: until the origin is removed or the `clientSecret` is revoked.
 */
async function spend(
  db: Queryable,
  {
    hash,
    nextHash,
    display,
  }: {
    readonly hash: Buffer
    readonly nextHash: Buffer
    readonly display: ChallengeDisplay
  },
): Promise<ChallengeRow | undefined> {
  const [row] = await db.query<ChallengeRow>`
    with spent as (
      update challenges c set token_hash = ${nextHash}
        from payment_attempts a
        join payment_intents i on i.id = a.intent_id
        join environments e on e.id = i.environment_id
       where c.token_hash = ${hash} and c.presentation = ${display} and c.closed_at is null
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

function passed(outcome: string): readonly Cause[] {
  return [{ type: 'challenge_passed' }, transitionCause(readProviderResult(outcome))]
}

function failed(failure: Failure): Cause {
  return { type: 'challenge_failed', failure }
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

/** The step is part of what is hashed: a token of one step opens no other. */
function hashOf(step: Step, token: string): Buffer {
  return createHash('sha256').update(`${step}|${token}`).digest()
}
