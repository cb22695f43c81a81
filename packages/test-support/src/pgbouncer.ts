/** PgBouncer in front of a PostgreSQL server, on a free port. @module */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { pgbouncerPath } from './pgbouncer-build.mjs'
import { untilReady } from './postgres.ts'

/** A running pooler. */
export interface Pgbouncer {
  /** Address of the server's database through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/** Whether the setup could build PgBouncer. */
export const hasPgbouncer: boolean = pgbouncerPath() !== undefined

/**
 * Starts it.
 *
 * @param url - Address of the database.
 * @param settings - Lines of `pgbouncer.ini`, such as `{ pool_mode: 'transaction' }`.
 */
export async function startPgbouncer(
  url: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<Pgbouncer> {
  const program = pgbouncerPath()
  if (!program) throw new TypeError('PgBouncer is not built. Run: node .ci/setup.mjs --tests')
  const folder = await mkdtemp(join(tmpdir(), 'pi-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const port = await freePort()
  const server = new URL(url)
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }
  await writeFile(
    file,
    `[databases]
postgres = host=${server.hostname} port=${server.port} user=${server.username} dbname=postgres
[pgbouncer]
${Object.entries(lines)
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`,
  )
  // It refuses to run as root.
  await chmod(folder, 0o755)
  const user = process.getuid?.() === 0 ? ['--user', 'daemon'] : []
  const child = spawn(program, [...user, '--quiet', file], { stdio: 'ignore' })
  const through = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilReady(child, through)
  return {
    url: through,
    stop: async () => {
      if (child.exitCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGINT')
        setTimeout(() => child.kill('SIGTERM'), 500).unref()
        await exited
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}
