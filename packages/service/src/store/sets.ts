/** How PostgreSQL runs several statements of one name as one. @module */
import type { SqlValue, Statement } from './sql.ts'
import type { Sharing } from './together.ts'

/** Statements of this name run together. */
export interface SetForm {
  /** Returns one statement for all. Its rows have the key of the statement that they belong to, as `setKey`. */
  readonly of: (set: readonly Statement[]) => Pick<Statement, 'name' | 'text'> & {
    readonly values: readonly (readonly SqlValue[])[]
  }
  readonly keyOf: (statement: Statement) => SqlValue
  /** How they are collected. A set of writes has at most one statement of a key. */
  readonly sharing: Omit<Sharing, 'run'>
}

/** The condition of a read that must not show what the synchronous standby lacks. It holds. */
const replicated = `(select case when current_setting('synchronous_standby_names') = '' then true
  else pg_logical_emit_message(true, 'pi-checkout', 'read') is not null end)`

/**
 * Reads whose transaction ends only when the synchronous standby has all that they saw, because the message is part of
 * it. A row can be visible before the standby has it: when the primary restarts, or ends the connection that waits.
 */
const confirmed: ReadonlySet<string> = new Set(['find_intent', 'find_by_key'])

/** Returns the text of a statement that runs alone. */
export function textOf({ name, text }: Statement): string {
  return confirmed.has(name) ? `select * from (${text}) found where ${replicated}` : text
}

/** Reads by the first value. `offset 0` keeps the planner from joining the tables in another way. */
const read: SetForm = {
  sharing: { size: 64, lanes: 2 },
  keyOf: ({ values: [key = null] }) => key,
  of: (set) => {
    const [{ name, text } = { name: '', text: '' }] = set
    const keys = [...new Set(set.map(read.keyOf))]
    const each = text.replaceAll('$1', 'item.value')
    const condition = confirmed.has(name) ? `where ${replicated}` : ''
    return {
      name: `${name}_set`,
      text: `select item.value as "setKey", found.* from unnest($1::text[]) as item (value)
        cross join lateral (${each} offset 0) found ${condition}`,
      values: [keys],
    }
  },
}

/** @param keyAt - Place of the intent's id in the values. */
function write({ text, keyAt }: { readonly text: string; readonly keyAt: number }): SetForm {
  const keyOf: SetForm['keyOf'] = ({ values }) => values[keyAt] ?? null
  return {
    // The server writes and commits in parallel.
    sharing: { size: 24, lanes: 3, keyOf },
    keyOf,
    of: (set) => {
      const [first] = set
      const columns = first?.values.map((_, at) => set.map(({ values }) => values[at] ?? null))
      return { name: `${first?.name}_set`, text, values: columns ?? [] }
    },
  }
}

/** All instances insert, and so lock, keys in the same order. Otherwise two sets could deadlock. */
const insertIntents = `
  insert into intents (
    id, environment_id, amount, currency, order_id, customer, metadata, created_at,
    key_hash, key_fingerprint)
  select *
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[],
                $7::text[], $8::bigint[], $9::text[], $10::text[])
      as item (id, environment, amount, currency, "order", customer, metadata, created,
               hash, fingerprint)
   order by hash, environment
  on conflict (key_hash, environment_id) do nothing
  returning id as "setKey", id`

/** Locks the rows in one order, for the same reason. */
const changeIntents = `
  update intents
     set revision = revision + 1,
         state = ($1::text[])[array_position($2::text[], id)]
   where id = any(array(select id from intents where id = any($2::text[]) order by id for update))
     and revision = ($3::int[])[array_position($2::text[], id)]
  returning id as "setKey", id`

export const setForms: ReadonlyMap<string, SetForm> = new Map([
  ['insert_intent', write({ text: insertIntents, keyAt: 0 })],
  ['change_intent', write({ text: changeIntents, keyAt: 1 })],
  ...['find_intent', 'find_environment', 'find_api_key'].map((name) => [name, read] as const),
])
