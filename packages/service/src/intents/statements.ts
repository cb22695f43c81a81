/** All statements about intents, and how their rows are read. @module */
import { ExplainedError } from '../explained-error.ts'
import { Fragment, named, type Statement, sql } from '../store/sql.ts'
import type { IdempotencyHashes } from './idempotency.ts'
import { type Intent, type State, type Stored, stateVersion, withState } from './intent.ts'

/** An intent as the store returns it: times are milliseconds, and documents are JSON. */
export interface IntentRow extends Omit<Stored, 'customer' | 'metadata' | 'createdAt'> {
  readonly customer: string | null
  readonly metadata: string | null
  readonly state: string | null
  readonly createdAt: number
}

/** Thrown for an intent of another release, or one that was damaged. Nothing else may fail with it. */
class UnreadableIntent extends ExplainedError {
  override readonly name = 'UnreadableIntent'

  constructor(id: string, reason: string) {
    super(
      `The stored intent ${id} cannot be read: ${reason}. Restore it, or run the release that wrote it.`,
    )
  }
}

/** @throws {UnreadableIntent} */
export function intentOf(row: IntentRow): Intent {
  const { id } = row
  const state = parsed<State>(id, row.state)
  const version = state?.v ?? stateVersion
  if (version !== stateVersion) {
    throw new UnreadableIntent(id, `its state has the version ${version}`)
  }
  const stored: Stored = {
    id,
    environmentId: row.environmentId,
    revision: row.revision,
    amount: row.amount,
    currency: row.currency,
    orderId: row.orderId,
    customer: parsed(id, row.customer),
    metadata: parsed(id, row.metadata),
    createdAt: new Date(row.createdAt),
  }
  return withState(stored, state)
}

/** Returns the intents of a list without those that this release cannot read. */
export function readableIntents(rows: readonly IntentRow[]): Intent[] {
  return rows.flatMap((row) => {
    try {
      return [intentOf(row)]
    } catch {
      return []
    }
  })
}

/** The parse boundary: this service wrote the document. */
function parsed<Document>(id: string, text: string | null): Document | null {
  try {
    return text === null ? null : (JSON.parse(text) as Document)
  } catch {
    throw new UnreadableIntent(id, 'a document is not JSON')
  }
}

function asJson(document: object | null): string | null {
  return document && JSON.stringify(document)
}

const columns = new Fragment(`
  id, environment_id as "environmentId", revision, amount, currency, order_id as "orderId",
  customer, metadata, state, created_at as "createdAt"`)

export interface Draft {
  readonly intent: Intent
  /** Hashes of the idempotency key and the body, if a key was sent. */
  readonly key?: IdempotencyHashes | undefined
}

/** Inserts nothing if the key is taken. */
export function insertIntent({ intent, key }: Draft): Statement {
  return named('insert_intent')`
    insert into intents (
      id, environment_id, amount, currency, order_id, customer, metadata, created_at,
      key_hash, key_fingerprint)
    values (${intent.id}, ${intent.environmentId}, ${intent.amount}, ${intent.currency},
            ${intent.orderId}, ${asJson(intent.customer)}, ${asJson(intent.metadata)},
            ${intent.createdAt.getTime()}, ${key?.hash ?? null}, ${key?.fingerprint ?? null})
    on conflict (key_hash, environment_id) do nothing
    returning id`
}

/** An intent with the hash of the body that was sent with its idempotency key. */
export interface KeyRow extends IntentRow {
  readonly fingerprint: string
}

/**
 * By the index of the hash. Its order, and `|| ''`, keep PostgreSQL from another index, which leads to the whole environment.
 */
export function findByKey(hash: string, environmentId: string): Statement {
  return named('find_by_key')`
    select ${columns}, key_fingerprint as fingerprint
      from intents
     where key_hash = ${hash} and environment_id || '' = ${environmentId} order by key_hash`
}

/** By id alone, because another index leads to the whole environment. The caller checks the environment. */
export function findIntent(id: string): Statement {
  return named('find_intent')`select ${columns} from intents where id = ${id}`
}

/** Changes nothing if the intent has another revision. */
export function changeIntent(from: Intent, to: Intent): Statement {
  return named('change_intent')`
    update intents
       set revision = revision + 1, state = ${asJson(to.state)}
     where id = ${to.id} and revision = ${from.revision}
    returning id`
}

/** A place in the list of an environment, newest first. The list goes on with the next older one. */
export type Place = Pick<IntentRow, 'createdAt' | 'id'>

/** Number of intents of a list. Not a parameter, because a plan depends on it. */
export const listLimit = 100
const listPage = new Fragment(String(listLimit))

export function listIntents(environmentId: string, before: Place): Statement {
  return sql`
    select ${columns} from intents
     where environment_id = ${environmentId} and (created_at, id) < (${before.createdAt}, ${before.id})
     order by created_at desc, id desc limit ${listPage}`
}

/** Number of intents that are deleted at once, which takes less than 50 milliseconds. */
export const deleteLimit = 100
const deletePage = new Fragment(String(deleteLimit))

/** Deletes the oldest intents of an environment. */
export function deleteIntents(environmentId: string): Statement {
  return sql`
    delete from intents
     where id in (select id from intents where environment_id = ${environmentId}
                   order by created_at, id limit ${deletePage})
    returning id`
}
