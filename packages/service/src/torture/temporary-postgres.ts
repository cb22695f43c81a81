/**
 * A real PostgreSQL server of its own, in a temporary directory and on a free port, gone at the end.
 *
 * For `torture`, tests and benchmarks: each may kill connections and fill tables as it likes.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A running server. */
export interface TemporaryPostgres {
  /** Of an empty database. */
  readonly url: string
  /** Folder of the server's own programs, such as pgbench. */
  readonly binaries: string
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param settings Of `postgresql.conf`, such as `{ fsync: 'off' }` where nothing is to survive.
 * @throws {TypeError} PostgreSQL is not installed.
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<TemporaryPostgres> {
  const binaries = await findBinaries()
  const user = await serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'pi-postgres-'))
  try {
    if (user) await chown(folder, user.uid, user.gid)
    const data = join(folder, 'data')
    await initialise(join(binaries, 'initdb'), { data, user })
    const port = await freePort()
    const options = { ...settings, unix_socket_directories: folder, listen_addresses: '127.0.0.1' }
    const server = spawn(
      join(binaries, 'postgres'),
      ['-D', data, '-p', String(port), ...Object.entries(options).flatMap(flag)],
      { ...user, stdio: 'ignore' },
    )
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    await untilReady(server, url)
    return {
      url,
      binaries,
      stop: async () => {
        await end(server)
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function flag([name, value]: readonly [string, string]): string[] {
  return ['-c', `${name}=${value}`]
}

/** Debian keeps the server's programs out of PATH, one folder per version. */
async function findBinaries(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions
    .map(Number)
    .filter(Number.isInteger)
    .sort((one, other) => other - one)
  const folders = [
    ...newest.map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env.PATH ?? '').split(':'),
  ]
  for (const folder of folders) {
    const names: readonly string[] = await readdir(folder).catch(() => [])
    if (names.includes('initdb') && names.includes('postgres')) return folder
  }
  throw new TypeError('PostgreSQL is not installed here; on Debian: apt-get install postgresql')
}

interface SystemUser {
  readonly uid: number
  readonly gid: number
}

const systemUsers = ['postgres', 'nobody']

/** The server refuses to run as root; Debian's package brings a user for it. */
async function serverUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = users.find(([name = '']) => systemUsers.includes(name)) ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

async function initialise(
  initdb: string,
  { data, user }: { readonly data: string; readonly user: SystemUser | undefined },
): Promise<void> {
  const work = spawn(
    initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, stdio: 'ignore' },
  )
  const [status] = await once(work, 'exit')
  if (status !== 0) throw new Error(`initdb ended with ${status}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port was found')
  return address.port
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 1000 && server.exitCode === null; tries++) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await sleep(100)
    }
  }
  await end(server)
  throw new Error('The temporary PostgreSQL server did not start')
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  // Fast shutdown: connections are ended, not waited for.
  server.kill('SIGINT')
  await ended
}
