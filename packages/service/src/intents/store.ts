/** Reads, creates, and changes Payment Intents. Concurrent requests share statements. @module */
import { batch, Failed } from '../db/batch.ts'
import { type Database, Fragment } from '../db/database.ts'
import { isLockConflict, isOneRowsFault, lockNotAvailable, StoreError } from '../db/errors.ts'
import {
  type Environment,
  environmentLookUps,
  environmentNow,
  findEnvironments,
} from '../merchants/environments.ts'
import { columns, replicated } from './columns.ts'
import { createBatch } from './create.ts'
import { dueAt } from './deadlines.ts'
import { assertState, type Intent, stateVersion } from './intent.ts'
import { type Cause, decide, isBuyers, type Rejection } from './lifecycle.ts'

/** A store with a clock of real time. */
export interface StoreAndClock {
  readonly db: Database
  readonly now: () => Date
}

export type IntentStore = ReturnType<typeof createIntentStore>

/** A new state of an intent, to be written if the store still has the revision of `from`. */
export interface Change {
  readonly from: Intent
  readonly to: Intent
  /** Whether the secret must not be revoked. */
  readonly needsSecret: boolean
}

/** Creates the store of one kind of client. Each kind has its own queue, so that none delays another. */
export function createIntentStore({ db, now }: StoreAndClock) {
  const { kind } = db
  return {
    now,
    create: createBatch(db),
    /** Reads an intent without applying deadlines. */
    find: batch({
      run: async (ids: readonly string[]) => {
        const found = await findAll(db, ids)
        return ids.map((id) => readable(found.get(id)))
      },
      separable: isOneRowsFault,
      commits: false,
      kind,
    }),
    environment: environmentLookUps(db),
    /** Returns whether it wrote: `false` if another change was first. */
    write: batch({
      run: async (changes: readonly Change[]) => {
        const written = await writeAll(db, changes)
        return changes.map((change) => written.has(change))
      },
      separable: (error) => isOneRowsFault(error) || isLockConflict(error),
      commits: true,
      kind,
    }),
  }
}

/** An intent with its environment, and the environment's time at which it was read. */
export interface Snapshot {
  readonly intent: Intent
  readonly environment: Environment
  readonly at: Date
}

export interface Changed extends Snapshot {
  readonly before: Intent
  readonly rejection?: Rejection
}

/**
 * Reads the intent, decides, and writes the decision if nothing else changed the intent in the meantime. Otherwise it
 * starts again. Passed deadlines are written also if the cause is rejected.
 *
 * @returns `undefined` if the intent does not exist.
 */
export async function change(
  store: IntentStore,
  id: string,
  cause: Cause,
): Promise<Changed | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await store.find(id)
    const environment = before && (await store.environment(before.environmentId))
    if (!environment) return undefined
    const at = environmentNow(environment, store.now())
    const { intent, ...decision } = decide(before, cause, at)
    const result = { ...decision, before, environment, at }
    if (intent === before) return { ...result, intent }
    const needsSecret = isBuyers(cause) && decision.rejection === undefined
    if (await store.write({ from: before, to: intent, needsSecret })) {
      return { ...result, intent: { ...intent, revision: intent.revision + 1 } }
    }
  }
  throw new StoreError(lockNotAvailable, { reason: 'other requests keep changing the intent' })
}

// Of requests that change an intent at the same time, one writes in each round. 20 pages may open its challenge.
const maxTries = 50

/** Reads an intent after its passed deadlines. */
export async function load(store: IntentStore, id: string): Promise<Snapshot | undefined> {
  return await change(store, id, { type: 'time_passed' })
}

/** By id alone, because another index leads to the whole environment. The caller checks the environment. */
async function findAll(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, Intent>> {
  const rows = await db.query<Intent>`
    select ${columns} from intents where id = any(${ids}) and ${replicated} order by id`
  return new Map(rows.map((row) => [row.id, row]))
}

/** A document of a later version fails without failing the rest of its batch. */
function readable(intent: Intent | undefined): Intent | undefined | Failed {
  const version = intent?.state?.v ?? stateVersion
  if (version === stateVersion) return intent
  return new Failed(new Error(`The store has an intent with a state of version ${version}`))
}

/**
 * Writes changes whose intents still have their revision, one for each intent. Locks them in one order, so that two
 * instances cannot deadlock. Returns those that it wrote.
 */
export async function writeAll(
  db: Database,
  changes: readonly Change[],
  whenLocked = new Fragment(''),
): Promise<ReadonlySet<Change>> {
  const byId = new Map<string, Change>()
  for (const change of changes) if (!byId.has(change.to.id)) byId.set(change.to.id, change)
  const first = [...byId.values()]
  for (const { to } of first) assertState(to)
  const ids = [...byId.keys()]
  const rows = await db.query<{ id: string }>`
    update intents i
       set revision = revision + 1,
           (version, status, state, due_at, finalized_at) = (
             select version, status, state, to_timestamp(due / 1000), to_timestamp(final / 1000)
               from unnest(
                 ${ids}::text[],
                 ${first.map(({ to }) => to.version)}::int[],
                 ${first.map(({ to }) => to.status)}::text[],
                 ${first.map(({ to }) => JSON.stringify(to.state))}::json[],
                 ${first.map(({ to }) => dueAt(to)?.getTime() ?? null)}::float8[],
                 ${first.map(({ to }) => to.finalizedAt?.getTime() ?? null)}::float8[]
               ) as change (id, version, status, state, due, final)
              where change.id = i.id)
     where id = any(array(
             select id from intents where id = any(${ids}) order by id for update ${whenLocked}))
       and revision = (${first.map(({ from }) => from.revision)}::int[])[array_position(${ids}::text[], id)]
       and (secret_salt is not null
            or not (${first.map(({ needsSecret }) => needsSecret)}::bool[])[array_position(${ids}::text[], id)])
    returning id`
  const written = new Set(
    rows.map(({ id }) => byId.get(id)).filter((change) => change !== undefined),
  )
  for (const { from, to } of written) {
    // Tokens and wrong codes change nothing that a page shows.
    if (to.version > from.version) db.notify({ intentId: to.id })
  }
  return written
}

/** What a waiting request compares with what it has read. */
export interface Version {
  readonly version: number
  readonly origins: readonly string[]
  /** Next deadline in milliseconds of real time. */
  readonly due: number
}

/** Reads versions of intents whose secret is not revoked. */
export async function findVersions(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Version>> {
  const rows = await db.query<VersionRow>`
    select id, environment_id as "environmentId", version, due_at as "dueAt" from intents
     where id = any(${ids}) and secret_salt is not null order by id`
  const environmentIds = rows.map(({ environmentId }) => environmentId)
  const environments = await findEnvironments(db, environmentIds)
  const found = new Map<string, Version>()
  for (const { id, environmentId, version, dueAt } of rows) {
    const environment = environments.get(environmentId)
    if (!environment) continue
    const { allowedOrigins: origins, clockOffset } = environment
    const due = dueAt ? dueAt.getTime() - clockOffset : Infinity
    found.set(id, { version, origins, due })
  }
  return found
}

interface VersionRow extends Pick<Intent, 'id' | 'environmentId' | 'version'> {
  readonly dueAt: Date | null
}

/** Revokes the secret permanently, with its checkout sessions. Returns whether the intent exists. */
export async function revokeSecret(
  db: Database,
  { id, modes }: { readonly id: string; readonly modes: readonly Environment['mode'][] },
): Promise<boolean> {
  const revoked = await db.query`
    update intents set secret_salt = null
     where id = ${id}
       and (select mode from environments where id = environment_id) = any(${modes})
    returning id`
  if (revoked.length === 0) return false
  db.notify({ intentId: id })
  return true
}
