/**
 * The service as a user runs it: its own process, one line of JSON, signals.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Running } from '../../src/start.ts'

const room = fileURLToPath(new URL('../..', import.meta.url))
const fromSource = ['--import', 'tsx', '--conditions=source', join(room, 'src/cli.ts')]
// A build that is newer than every source says the same and starts in a fraction of the time.
const program = isBuilt() ? [join(room, 'bin/pi-service.mjs')] : fromSource

function isBuilt(): boolean {
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = readdirSync(join(room, 'src'), { recursive: true, encoding: 'utf8' })
  const built = changedAt(join(room, 'dist/cli.js'))
  return sources.every((file) => changedAt(join(room, 'src', file)) < built)
}

export interface ServiceProcess {
  readonly process: ChildProcess
  readonly ready: Running['ready']
  readonly url: string
  readonly apiKey: string
  /** Sends a signal and waits for the end. Returns the exit status. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** Starts `pi-service start --json` and waits for its line. */
export async function startProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  const child = run(['start', '--json', ...args], env)
  const ended = once(child, 'exit')
  const errors = text(child.stderr)
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => String(first)),
    ended.then(async () => {
      throw new Error(`The service ended at once: ${await errors}`)
    }),
  ])
  const ready = JSON.parse(line) as Running['ready']
  return {
    process: child,
    ready,
    url: ready.baseUrl,
    apiKey: String(ready.apiKey),
    end: async (signal) => {
      child.kill(signal)
      const [status] = await ended
      return status as number | null
    },
  }
}

/** Runs a command to its end. */
export async function command(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; out: string; error: string }> {
  const child = run(args, env)
  const [out, error, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { status: status as number | null, out, error }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, [...program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
