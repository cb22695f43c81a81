/**
 * A PostgreSQL server in a temporary directory and on a free port.
 *
 * Tests may end its connections and stop it: it starts again on its files.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface TemporaryPostgres {
  /** Address of an empty database. */
  readonly url: string
  /** Folder of PostgreSQL's programs, such as `pgbench`. */
  readonly binaries: string
  /** Stops it without a checkpoint and without finishing transactions, as `pg_ctl stop -m immediate` does. */
  cut(): Promise<void>
  /** Stops its processes where they are: connections stay open, and nothing responds. `cut` and `stop` still end it. */
  freeze(): void
  /** Starts it again after `cut`. */
  start(): Promise<void>
  /** Starts a synchronous standby. From then on each commit waits for it. */
  startStandby(): Promise<Standby>
  /** Stops it and removes its files. */
  stop(): Promise<void>
}

/** A synchronous standby, which can become a primary. */
export interface Standby extends TemporaryPostgres {
  /** Makes it a primary that waits for no standby. */
  promote(): Promise<void>
}

/** Folder of PostgreSQL's programs; `undefined` if it is not installed. */
export const postgresBinaries: string | undefined = findBinaries()

/**
 * Starts a server.
 *
 * @param settings - Lines of `postgresql.conf`, such as `{ fsync: 'off' }`.
 * @throws {MissingProgram} If PostgreSQL is not installed. `npm test` counts the test as skipped.
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<TemporaryPostgres> {
  const binaries = postgresBinaries
  if (!binaries) {
    throw new MissingProgram('PostgreSQL is not installed. On Debian: apt-get install postgresql')
  }
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  return await startServer(binaries, settings, ['initdb', ...options])
}

class MissingProgram extends Error {
  override readonly name = 'MissingProgram'
}

/** @param initialize - Program and options that create the server's files. */
async function startServer(
  binaries: string,
  settings: Readonly<Record<string, string>>,
  [initialize, ...created]: readonly [string, ...string[]],
): Promise<TemporaryPostgres> {
  const user = serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'pi-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = { ...settings, unix_socket_directories: folder, listen_addresses: '127.0.0.1' }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = (program: string, args: readonly string[]): ChildProcess =>
    spawn(join(binaries, program), args, { ...user, stdio: 'ignore' })
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const [status] = await once(launch(program, args), 'exit')
    if (status !== 0) throw new Error(`${program} exited with ${status}`)
  }
  const query = async (at: string, text: string): Promise<void> =>
    await run('psql', ['-Xqc', text, at])
  let server: ChildProcess | undefined
  let standby: TemporaryPostgres | undefined
  /** Ids of stopped processes. None ends before it continues. */
  const frozen: number[] = []

  async function start(): Promise<void> {
    server = launch('postgres', ['-D', data, '-p', String(port), ...flags])
    for (let attempt = 0; attempt < 1000 && server.exitCode === null; attempt++) {
      const [status] = await once(launch('pg_isready', ['-d', url]), 'exit')
      if (status === 0) return
      await sleep(50)
    }
    throw new Error('PostgreSQL did not start')
  }
  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (!server || server.exitCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    for (const id of frozen.splice(0).reverse()) process.kill(id, 'SIGCONT')
    await exited
  }
  function freeze(): void {
    if (server?.pid === undefined) return
    // First the one that starts the others.
    process.kill(server.pid, 'SIGSTOP')
    frozen.push(server.pid)
    for (const id of childrenOf(server.pid)) {
      process.kill(id, 'SIGSTOP')
      frozen.push(id)
    }
  }
  async function startStandby(): Promise<Standby> {
    const source = `${url}?application_name=standby`
    const options = ['-d', source, '-R', '--checkpoint=fast', '--no-sync']
    const started = await startServer(binaries, settings, ['pg_basebackup', ...options])
    standby = started
    await query(url, "alter system set synchronous_standby_names = 'standby'")
    await query(url, 'select pg_reload_conf()')
    return { ...started, promote: async () => await query(started.url, 'select pg_promote()') }
  }
  async function stop(): Promise<void> {
    // First the standby, for whose connection the primary would wait.
    await standby?.stop()
    // A fast shutdown: it ends connections instead of waiting for them.
    await end('SIGINT')
    await rm(folder, { recursive: true, force: true })
  }

  try {
    if (user) await chown(folder, user.uid, user.gid)
    await run(initialize, ['-D', data, ...created])
    await start()
    return {
      url,
      binaries,
      start,
      startStandby,
      freeze,
      stop,
      cut: async () => await end('SIGQUIT'),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Debian keeps the server's programs out of PATH, in one folder per version. */
function findBinaries(): string | undefined {
  const versions = filesOf('/usr/lib/postgresql').map(Number).filter(Number.isInteger)
  const folders = [
    ...versions.sort((a, b) => b - a).map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return folders.find((folder) => {
    const files = filesOf(folder)
    return files.includes('initdb') && files.includes('postgres')
  })
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The server rejects root. Debian's package creates a user for it. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
  const [, uid, gid] = /^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m.exec(users) ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
}
