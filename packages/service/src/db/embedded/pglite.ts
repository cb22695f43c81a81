/** The embedded store: PGlite in this process, without background workers, so checkpoints are written here. @module */
import { PGlite } from '@electric-sql/pglite'
import { type Database, openPool, sessionSettings } from '../database.ts'
import { StoreError } from '../errors.ts'
import { DurableFiles } from './durable-files.ts'
import { Engine, type StartedEngine } from './engine.ts'
import { EngineStream } from './engine-stream.ts'
import { templateBlob, unpackTemplate } from './template.ts'

/** @param directory - Directory of the files. `undefined` keeps everything in memory. */
export async function openPglite(directory: string | undefined): Promise<Database> {
  if (directory === undefined) {
    const template = await templateBlob()
    const engine = new SilentEngine({
      startParams: [...startParams, '-F'],
      ...(template && { loadDataDir: template }),
    })
    await engine.waitReady
    const release = () => {}
    return databaseOf(
      new Engine({ engine, release }, async () => {
        throw new Error('The store in memory was lost when its engine stopped')
      }),
    )
  }
  await unpackTemplate(directory)
  const files = new DurableFiles(directory)
  const first = await startEngine(files)
  const successor = async () => await startEngine(new DurableFiles(directory))
  const database = withCheckpoints(databaseOf(new Engine(first, successor)))
  await checkDurability(database, files)
  return database
}

async function startEngine(files: DurableFiles): Promise<StartedEngine> {
  const release = () => files.release()
  try {
    const engine = new SilentEngine({ fs: files, startParams })
    await engine.waitReady
    return { engine, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Skips the query for types at the start, because `pg` parses values instead of PGlite. */
class SilentEngine extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

// Parameters of PGlite without `-F`, which disables fsync. The default `wal_sync_method` aborts here. The
// default `shared_buffers` of 128 MB is twice what the service needs in total.
const settings = {
  ...sessionSettings,
  search_path: 'public',
  exit_on_error: 'false',
  log_checkpoints: 'false',
  max_worker_processes: '0',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  io_method: 'sync',
  wal_sync_method: 'fsync',
  shared_buffers: '8MB',
}
const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const startParams = ['--single', '-O', '-j', ...options]

function databaseOf(engine: Engine): Database {
  const database = openPool(
    {
      max: 1,
      idleTimeoutMillis: 0,
      user: 'postgres',
      database: 'postgres',
      stream: () => new EngineStream(engine),
    },
    'pglite',
  )
  return {
    ...database,
    close: async () => {
      await database.close()
      await engine.close()
    },
  }
}

/** Commits once, and throws if the commit was not synced. */
async function checkDurability(database: Database, files: DurableFiles): Promise<void> {
  const before = files.syncs
  await database.query`select pg_logical_emit_message(true, 'pi-checkout', 'durability')`
  if (files.syncs > before) return
  await database.close()
  throw new Error('The embedded store cannot sync to disk on this platform. Use PostgreSQL.')
}

/** Milliseconds between checks of the log, and its growth in bytes that forces a checkpoint under load. */
const checkpointInterval = 5000
const checkpointBytes = 64 * 1024 * 1024

/**
 * Writes checkpoints when the store is idle, when the log has grown, and on close. Without them the log grows
 * without limit, and the next start reads all of it.
 */
function withCheckpoints(database: Database): Database {
  let checked = '0/0'
  let previous = '0/0'
  let stopped = false

  async function tick(): Promise<void> {
    const [log] = await database.query<{ at: string; grown: number }>`
      select pg_current_wal_insert_lsn()::text as at,
             pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ${checked}::pg_lsn)::bigint as grown`
    if (!log || log.at === checked) return
    const idle = log.at === previous
    previous = log.at
    if (!idle && log.grown < checkpointBytes) return
    checked = await checkpoint()
    previous = checked
  }

  async function checkpoint(): Promise<string> {
    await database.query`checkpoint`
    const [log] = await database.query<{ at: string }>`
      select pg_current_wal_insert_lsn()::text as at`
    return log?.at ?? '0/0'
  }

  const timer = setInterval(() => {
    // Ignore errors of the store, such as a full disk. Requests report them, and the next tick retries.
    tick().catch((error: unknown) => {
      if (!(error instanceof StoreError) && !stopped) throw error
    })
  }, checkpointInterval)
  timer.unref()

  return {
    ...database,
    close: async () => {
      stopped = true
      clearInterval(timer)
      await database.query`checkpoint`.catch(() => {})
      await database.close()
    },
  }
}
