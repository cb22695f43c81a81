/** Programs as separate processes: started, waited for, and stopped. @module */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const piService = join(root, 'packages/service/bin/pi-service.mjs')
export const demoShop = join(root, 'demo/dist/server/main.js')

export interface ProgramOptions {
  /** @default This Node.js */
  readonly command?: string
  /** @default The folder of the repository */
  readonly cwd?: string
  /** Added to the variables of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Opens a channel for messages. */
  readonly ipc?: boolean
  /** Starts a process group, which `stop` ends as a whole: for a command that wraps the program in a shell. */
  readonly detached?: boolean
}

export interface StartedProgram {
  /** The first line that it printed. */
  readonly line: string
  /** Every line so far, those of stderr included. */
  readonly log: readonly string[]
  readonly child: ChildProcess
  /**
   * Sends a signal and waits until the process has exited. Prints stderr if the exit status is not 0.
   *
   * @param signal - `SIGTERM` by default.
   * @returns The exit status; `null` if a signal ended the process.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface EndedProgram {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/**
 * Starts a program and waits for its first line.
 *
 * @throws {Error} If it exits before; the message contains what it printed.
 */
export async function startProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<StartedProgram> {
  // Node.js programs end when this process is gone, as after a killed test run.
  const preload = options.command
    ? []
    : ['--import', new URL('end-with-starter.mjs', import.meta.url).href]
  const child = run([...preload, ...args], options)
  const log: string[] = []
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    errors.push(line)
  })
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (printed) => {
      log.push(printed)
      resolve(printed)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      const output = log.join('\n')
      reject(new Error(`${args.join(' ')} exited with ${code} before it was ready:\n${output}`))
    })
  })
  return {
    line,
    log,
    child,
    stop: async (signal = 'SIGTERM') => {
      const code = await stop(child, { signal, detached: options.detached ?? false })
      // Without stdout: its first line contains keys.
      if (code) console.error(`${args.join(' ')} exited with ${code}:\n${errors.join('\n')}`)
      return code
    },
  }
}

/** Runs a program until it exits, with any status. */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<EndedProgram> {
  const child = run(args, options)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, output, errors }
}

function run(
  args: readonly string[],
  {
    command = process.execPath,
    cwd = root,
    env = {},
    ipc = false,
    detached = false,
  }: ProgramOptions,
) {
  const child = spawn(command, args, {
    cwd,
    detached,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('A process without pipes')
  return Object.assign(child, { stdout, stderr })
}

async function stop(
  child: ChildProcess,
  { signal, detached }: { readonly signal: NodeJS.Signals; readonly detached: boolean },
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    if (detached && child.pid) process.kill(-child.pid, signal)
    else child.kill(signal)
    await closed
  }
  return child.exitCode
}
