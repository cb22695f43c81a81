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
import pg from 'pg'
import { freePort } from './free-port.ts'

/** A running server. */
export interface TemporaryPostgres {
  /** Address of an empty database. */
  readonly url: string
  /** Folder of PostgreSQL's programs, such as `pgbench`. */
  readonly binaries: string
  /** Stops it without a checkpoint and without finishing transactions, as `pg_ctl stop -m immediate` does. */
  cut(): Promise<void>
  /** Starts it again after `cut`. */
  start(): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
}

/** Folder of PostgreSQL's programs; `undefined` if it is not installed. */
export const postgresBinaries: string | undefined = findBinaries()

/**
 * Starts a server.
 *
 * @param settings - Lines of `postgresql.conf`, such as `{ fsync: 'off' }`.
 * @throws {TypeError} If PostgreSQL is not installed.
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<TemporaryPostgres> {
  const binaries = postgresBinaries
  if (!binaries) {
    throw new TypeError('PostgreSQL is not installed. On Debian: apt-get install postgresql')
  }
  const user = serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'pi-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = { ...settings, unix_socket_directories: folder, listen_addresses: '127.0.0.1' }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launch = (program: string, args: readonly string[]): ChildProcess =>
    spawn(join(binaries, program), ['-D', data, ...args], { ...user, stdio: 'ignore' })
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    server = launch('postgres', ['-p', String(port), ...flags])
    await untilReady(server, url)
  }
  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (!server || server.exitCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    await exited
  }
  async function stop(): Promise<void> {
    // A fast shutdown: it ends connections instead of waiting for them.
    await end('SIGINT')
    await rm(folder, { recursive: true, force: true })
  }

  try {
    if (user) await chown(folder, user.uid, user.gid)
    const initdb = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    const [status] = await once(launch('initdb', initdb), 'exit')
    if (status !== 0) throw new Error(`initdb exited with ${status}`)
    await start()
    return { url, binaries, start, stop, cut: async () => await end('SIGQUIT') }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < 1000 && server.exitCode === null; attempt++) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await sleep(50)
    }
  }
  throw new Error('The temporary PostgreSQL server did not start')
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
