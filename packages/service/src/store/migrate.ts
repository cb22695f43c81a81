/** Creates the tables of a new store. @module */
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import { schema } from './schema.ts'
import { sql } from './sql.ts'

/** Instances that start at the same time wait for each other. */
export async function migrate(db: Database): Promise<void> {
  // An existing store is not touched, because the script would lock its tables for other instances.
  if (!(await hasTables(db))) await db.script(schema)
}

async function hasTables(db: Database): Promise<boolean> {
  try {
    return (await db.query(sql`select version from schema_version`)).length > 0
  } catch (error) {
    if (error instanceof StoreError && noTable.has(error.code)) return false
    throw error
  }
}

const noTable: ReadonlySet<string> = new Set(['42P01', 'SQLITE_ERROR'])
