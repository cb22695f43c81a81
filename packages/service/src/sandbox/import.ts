/** Imports an export. Existing records are not changed. An invalid record fails the whole import. @module */
import {
  CreatePaymentIntentSchema,
  fieldAt,
  paymentIntentIdPattern,
  paymentIntentStatuses,
} from '@pi-checkout/contract'
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import type { Queryable } from '../db/database.ts'
import { StoreError } from '../db/errors.ts'
import { ProblemError } from '../http/problem.ts'
import { randomSalt } from '../ids.ts'
import type { StoreAndClock } from '../intents/intents.ts'
import { maxFailedConfirmations } from '../intents/lifetimes.ts'
import type { Environment } from '../merchants/environments.ts'
import { addOrigin, ensureEnvironment } from '../merchants/merchants.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { maxClockOffset } from './environment-clock.ts'

const Time = z.iso.datetime()
const Bytes = z
  .string()
  .regex(/^[A-Za-z0-9_-]*$/)
  .transform((text) => Buffer.from(text, 'base64url'))
const Hash = Bytes.refine(({ length }) => length === 32)
const Text = z.string().max(1024).refine(isReadable)
/** A provider's payment id: visible ASCII without spaces. */
const ProviderId = z.string().regex(/^[!-~]{1,255}$/)

const PaymentMethod = z.looseObject({ type: Text }).refine(isReadable)
const Failure = z
  .looseObject({ code: Text, message: Text, retryable: z.boolean() })
  .refine(isReadable)

const Intent = z
  .strictObject({
    id: z.string().regex(paymentIntentIdPattern),
    environment: Text,
    status: z.enum(paymentIntentStatuses),
    version: z.int().min(1),
    confirms: z.int().min(0).max(maxFailedConfirmations),
    amount: z.unknown(),
    currency: z.unknown(),
    orderId: z.unknown(),
    customer: z.unknown(),
    metadata: z.unknown(),
    paymentMethod: PaymentMethod.nullable(),
    lastPaymentFailure: Failure.nullable(),
    nextAction: z
      .strictObject({ type: z.enum(['challenge', 'redirect']), expiresAt: Time })
      .nullable(),
    providerPaymentId: ProviderId.nullable(),
    settlement: z.strictObject({ at: Time, providerPaymentId: ProviderId }).nullable(),
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Time,
    finalizedAt: Time.nullable(),
    events: list(
      z.strictObject({ version: z.int().min(2), cause: Text, status: Text, createdAt: Time }),
      1000,
    ),
    attempts: list(
      z.strictObject({
        attemptId: Text,
        state: Text,
        paymentMethod: PaymentMethod,
        outcome: Text,
        failure: Failure.nullable(),
        providerPaymentId: ProviderId.nullable(),
        createdAt: Time,
        updatedAt: Time,
      }),
      1000,
    ),
    secret: z.strictObject({
      kid: Text,
      salt: Bytes.refine(({ length }) => length === 16).nullable(),
    }),
    idempotency: z.strictObject({ hash: Hash, fingerprint: Hash, expiresAt: Time }).nullable(),
  })
  .transform(({ amount, currency, orderId, customer, metadata, ...intent }, context) => {
    // These fields must pass the checks of a create.
    const body = CreatePaymentIntentSchema.safeParse({
      amount,
      currency,
      orderId,
      customer,
      metadata,
    })
    if (body.success) return { ...intent, body: body.data }
    context.addIssue({ code: 'custom', message: 'a create would reject its fields' })
    return z.NEVER
  })
type Intent = z.infer<typeof Intent>

/** Body of an import: one part of an export. */
const Import = z.strictObject({
  version: z.literal(1),
  exportedAt: Time,
  environments: list(
    z.strictObject({
      id: Text,
      merchant: z.string().min(1).max(128).refine(isReadable),
      allowedOrigins: list(
        z.string().refine((origin) => readOrigin(origin) !== undefined),
        1000,
      ),
      clockOffset: z.int().min(-maxClockOffset).max(maxClockOffset),
    }),
    100,
  ),
  /** Intents, which are parsed one by one, so that the first invalid one ends the import. */
  intents: z.array(z.unknown()),
  /** Start of the next part. Ignored, because parts are imported separately. */
  next: z.string().nullable().optional(),
})

/** @throws {ProblemError} If a value is invalid. The problem names the first one. */
export function readImport(body: unknown) {
  const { environments, intents } = readPart(Import, body, [])
  return {
    environments,
    intents: intents.map((intent, at) => readPart(Intent, intent, ['intents', at])),
  }
}

function readPart<T>(schema: z.ZodType<T>, part: unknown, at: readonly PropertyKey[]): T {
  const read = schema.safeParse(part)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const { field } = fieldAt([...at, ...(issue?.path ?? [])])
  const reason = issue?.code === 'unrecognized_keys' ? 'it has unknown fields' : issue?.message
  throw new ProblemError(
    'validation_failed',
    `${field} is invalid: ${reason}. Send a response of GET /_sandbox/export unchanged.`,
  )
}

/** Returns the schema of a list, which checks the length before it reads the items. */
function list<T>(item: z.ZodType<T>, max: number): z.ZodType<T[]> {
  return z.array(z.unknown()).max(max).pipe(z.array(item))
}

export interface Imported {
  readonly imported: number
  /** Number of intents that exist, or whose idempotency key another intent has. */
  readonly skipped: number
}

/**
 * Imports all records in one transaction. In the service that wrote the export, secrets and replays remain valid.
 * In another service the intents get a new secret and no idempotency key.
 */
export async function importSandbox(
  { db, keys, now }: StoreAndClock & { readonly keys: SecretKeys },
  sandbox: ReturnType<typeof readImport>,
): Promise<Imported> {
  try {
    return await db.transaction(async (tx) => {
      const targets: Targets = new Map()
      for (const { id, merchant, allowedOrigins, clockOffset } of sandbox.environments) {
        const target = await ensureEnvironment(tx, { merchant, mode: 'test' }, now())
        for (const origin of allowedOrigins) {
          await addOrigin(tx, { environmentId: target.id, origin })
        }
        await tx.query`
          update environments set clock_offset = ${clockOffset} where id = ${target.id}`
        tx.notify('environments')
        targets.set(id, target)
      }
      let imported = 0
      for (let at = 0; at < sandbox.intents.length; at += chunk) {
        const intents = sandbox.intents.slice(at, at + chunk)
        const rows = intents.map((intent) => rowOf(intent, { keys, targets }))
        imported += await insert(tx, intents, rows)
      }
      return { imported, skipped: sandbox.intents.length - imported }
    })
  } catch (error) {
    if (!(error instanceof StoreError) || !invalidData.test(error.code)) throw error
    throw new ProblemError(
      'validation_failed',
      `An intent violates the constraint ${error.constraint ?? error.code} of the store. Nothing was imported.`,
    )
  }
}

const chunk = 500

/** Environments of this store, by their ids in the import. */
type Targets = Map<string, Environment>

// SQLSTATE classes of data exceptions and constraint violations.
const invalidData = /^2[23]/

/** Rejects U+0000 and lone surrogates. A JSON column accepts them, but statements that read them fail. */
function isReadable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && !/\p{Surrogate}/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, each]) => isReadable(name) && isReadable(each))
}

function rowOf(
  { body, events: _, attempts: __, ...intent }: Intent,
  { keys, targets }: { readonly keys: SecretKeys; readonly targets: Targets },
): object {
  const target = targets.get(intent.environment)
  if (!target) {
    throw new ProblemError(
      'validation_failed',
      `The environment of intent ${intent.id} is not in "environments" of the import.`,
    )
  }
  const { secret, idempotency } = intent
  const isSameService = target.id === intent.environment && keys.kids.includes(secret.kid)
  const replay = isSameService ? idempotency : null
  const salt = isSameService ? secret.salt : randomSalt(16)
  return {
    ...intent,
    ...body,
    environmentId: target.id,
    nextAction: intent.nextAction?.type ?? null,
    nextActionExpiresAt: intent.nextAction?.expiresAt ?? null,
    secretKid: isSameService ? secret.kid : keys.currentKid,
    secretSalt: salt && hex(salt),
    ...(replay && {
      idempotencyHash: hex(replay.hash),
      idempotencyFingerprint: hex(replay.fingerprint),
      idempotencyExpiresAt: replay.expiresAt,
    }),
  }
}

/** Inserts rows. Each field is written to the column with its name, and other fields are ignored. */
async function insert(
  db: Queryable,
  intents: readonly Intent[],
  rows: readonly object[],
): Promise<number> {
  const inserted = await db.query<{ id: string }>`
    insert into payment_intents
    select * from json_populate_recordset(null::payment_intents, ${columns(rows)}::json)
    on conflict do nothing
    returning id`
  const ids = inserted.map(({ id }) => id)
  const rowsOf = (name: 'events' | 'attempts'): string =>
    columns(
      intents.flatMap((intent) => intent[name].map((row) => ({ ...row, intentId: intent.id }))),
    )
  await db.query`
    insert into intent_events
    select * from json_populate_recordset(null::intent_events, ${rowsOf('events')}::json)
     where intent_id = any(${ids})`
  await db.query`
    insert into payment_attempts
    select * from json_populate_recordset(null::payment_attempts, ${rowsOf('attempts')}::json)
     where intent_id = any(${ids})`
  return ids.length
}

/** Returns rows as JSON, with each name as the store writes it: `order_id`. */
function columns(rows: readonly object[]): string {
  const column = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [column(name), value])),
    ),
  )
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}
