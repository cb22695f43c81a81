/**
 * Reads the test environments' intents for the developer who owns them: with timeline, attempts and
 * deadlines applied. Live environments are out of its sight.
 *
 * @module
 */
import type { PaymentFailure, PaymentIntent, PaymentMethod } from '@pi-checkout/contract'
import type { Context } from '../context.ts'
import { Fragment } from '../db/database.ts'
import { intentAnswer } from '../intents/answer.ts'
import { due } from '../intents/lifecycle.ts'
import {
  type IntentRow,
  intentColumns,
  intentOf,
  type StoredIntent,
  settleDue,
} from '../intents/store.ts'
import { type Environment, environmentColumns, timeOf } from '../merchants/environments.ts'

/** An intent as a merchant reads it, and everything else that the store has of it. */
export interface SandboxIntent {
  readonly intent: PaymentIntent
  /** Id of its environment. */
  readonly environment: string
  readonly version: number
  /** Confirmations so far, 0 to 10. */
  readonly confirms: number
  readonly expiresAt: string
  readonly finalizedAt: string | null
  /** What the provider has decided and does not show yet. */
  readonly settlement: { readonly at: string; readonly providerPaymentId: string } | null
  /** Every transition; the creation is `createdAt`. */
  readonly events: readonly IntentEvent[]
  readonly attempts: readonly Attempt[]
  /** How its `clientSecret` is derived; `salt` is base64url, or `null` when the secret is revoked. */
  readonly secret: { readonly kid: string; readonly salt: string | null }
  /** Keyed hashes as base64url: of no use without the environment's own salt. */
  readonly idempotency: {
    readonly hash: string
    readonly fingerprint: string
    readonly expiresAt: string
  } | null
}

/** One transition. */
export interface IntentEvent {
  readonly version: number
  readonly cause: string
  readonly status: string
  readonly createdAt: string
}

/** One press of Pay. */
export interface Attempt {
  readonly attemptId: string
  readonly state: string
  readonly paymentMethod: PaymentMethod
  /** What the provider answers once it is asked: `authorised`, `declined:lost_card`. */
  readonly outcome: string
  readonly failure: PaymentFailure | null
  readonly providerPaymentId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Reads the test environments, the oldest first. */
export async function testEnvironments({ db }: Pick<Context, 'db'>): Promise<Environment[]> {
  return await db.query<Environment>`
    select ${environmentColumns}
      from environments e join merchants m on m.id = e.merchant_id
     where e.mode = 'test' order by e.created_at, e.id`
}

/** Reads one intent; `undefined` when no test environment has it. */
export async function sandboxIntent(
  context: Pick<Context, 'db' | 'now'>,
  id: string,
): Promise<SandboxIntent | undefined> {
  const read = async () =>
    await context.db.query<SandboxRow>`
    select ${sandboxColumns} from payment_intents i
     where id = ${id} and ${inTestMode}`
  const [intent] = await current(context, read)
  return intent
}

/** Reads the newest intents, the last made first. */
export async function newestIntents(
  context: Pick<Context, 'db' | 'now'>,
  { environmentId, count }: { readonly environmentId: string; readonly count: number },
): Promise<SandboxIntent[]> {
  return await current(
    context,
    async () =>
      await context.db.query<SandboxRow>`
      select ${sandboxColumns} from payment_intents i
       where environment_id = ${environmentId} and ${inTestMode}
       order by created_at desc, id limit ${count}`,
  )
}

/** Reads all intents, page by page in the order of their ids. */
export async function* allIntents(
  context: Pick<Context, 'db' | 'now'>,
): AsyncGenerator<readonly SandboxIntent[]> {
  let after = ''
  for (;;) {
    const page = await current(
      context,
      async () =>
        await context.db.query<SandboxRow>`
        select ${sandboxColumns} from payment_intents i
         where id > ${after} and ${inTestMode} order by id limit ${pageSize}`,
    )
    yield page
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.intent.id
  }
}

const pageSize = 500

/** Reads again after every deadline that has passed: no list shows a stale state. */
async function current(
  { db, now }: Pick<Context, 'db' | 'now'>,
  read: () => Promise<readonly SandboxRow[]>,
): Promise<SandboxIntent[]> {
  for (;;) {
    const rows = await read()
    const late = rows.flatMap((row) => {
      const intent = storedOf(row)
      const at = timeOf({ clockOffset: row.clockOffset }, now())
      return due(intent, at) ? [{ intent, at }] : []
    })
    if (late.length === 0) return rows.map(sandboxIntentOf)
    for (const { intent, at } of late) await settleDue(db, intent, at)
  }
}

interface SandboxRow extends IntentRow {
  readonly clockOffset: number
  readonly idempotencyHash: Buffer | null
  readonly idempotencyFingerprint: Buffer | null
  readonly idempotencyExpiresAt: Date | null
  readonly events: readonly IntentEvent[]
  readonly attempts: readonly Attempt[]
}

const inTestMode = new Fragment(`
  environment_id in (select id from environments where mode = 'test')`)

// One statement, so that an intent and its timeline are of one moment.
const sandboxColumns = new Fragment(`
  ${intentColumns.text},
  (select clock_offset from environments e where e.id = i.environment_id) as "clockOffset",
  idempotency_hash as "idempotencyHash", idempotency_fingerprint as "idempotencyFingerprint",
  idempotency_expires_at as "idempotencyExpiresAt",
  (select coalesce(json_agg(json_build_object(
            'version', e.version, 'cause', e.cause, 'status', e.status, 'createdAt', e.created_at)
            order by e.version), '[]')
     from intent_events e where e.intent_id = i.id) as events,
  (select coalesce(json_agg(json_build_object(
            'attemptId', a.attempt_id, 'state', a.state, 'paymentMethod', a.payment_method,
            'outcome', a.outcome, 'failure', a.failure,
            'providerPaymentId', a.provider_payment_id, 'createdAt', a.created_at,
            'updatedAt', a.updated_at) order by a.created_at, a.attempt_id), '[]')
     from payment_attempts a where a.intent_id = i.id) as attempts`)

function storedOf(row: SandboxRow): StoredIntent {
  const { clockOffset: _, events: __, attempts: ___, ...rest } = row
  return intentOf(rest)
}

function sandboxIntentOf(row: SandboxRow): SandboxIntent {
  const intent = storedOf(row)
  const { settlement } = intent
  const { idempotencyHash, idempotencyFingerprint, idempotencyExpiresAt } = row
  return {
    intent: intentAnswer(intent),
    environment: intent.environmentId,
    version: intent.version,
    confirms: intent.confirms,
    expiresAt: intent.expiresAt.toISOString(),
    finalizedAt: intent.finalizedAt?.toISOString() ?? null,
    settlement: settlement && { ...settlement, at: settlement.at.toISOString() },
    events: row.events.map((event) => ({ ...event, createdAt: utc(event.createdAt) })),
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      createdAt: utc(attempt.createdAt),
      updatedAt: utc(attempt.updatedAt),
    })),
    secret: { kid: intent.secretKid, salt: intent.secretSalt?.toString('base64url') ?? null },
    idempotency:
      idempotencyHash && idempotencyFingerprint && idempotencyExpiresAt
        ? {
            hash: idempotencyHash.toString('base64url'),
            fingerprint: idempotencyFingerprint.toString('base64url'),
            expiresAt: idempotencyExpiresAt.toISOString(),
          }
        : null,
  }
}

// JSON made inside PostgreSQL writes times with another offset and fewer digits.
function utc(time: string): string {
  return new Date(time).toISOString()
}
