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
  /** Starts a process group, which is ended as a whole: for a command that wraps the program in a shell. */
  readonly detached?: boolean
  /** Milliseconds after which `runProgram` ends the program, and fails with what it printed. */
  readonly timeout?: number
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
   * @throws {Error} If it has not exited after a minute; the message contains its stderr.
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
      const code = await stop(child, { ...options, signal, log: errors })
      // Without stdout: its first line contains keys.
      if (code) console.error(`${args.join(' ')} exited with ${code}:\n${errors.join('\n')}`)
      return code
    },
  }
}

/**
 * Runs a program until it exits, with any status.
 *
 * @throws {Error} If it takes longer than `timeout`; the message contains what it printed.
 */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<EndedProgram> {
  const child = run(args, options)
  const isLate = endAfter(child, options)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (isLate()) throw new Error(`${args.join(' ')} did not exit:\n${output}${errors}`)
  return { code, output, errors }
}

function run(
  args: readonly string[],
  { command = process.execPath, cwd = root, env = {}, detached = false }: ProgramOptions,
) {
  return spawn(command, args, {
    cwd,
    detached,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function stop(
  child: ChildProcess,
  {
    signal,
    log,
    ...options
  }: ProgramOptions & { readonly signal: NodeJS.Signals; readonly log: readonly string[] },
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    send(child, signal, options)
    const isLate = endAfter(child, { ...options, timeout: 60_000 })
    await closed
    if (isLate()) throw new Error(`The program did not exit after ${signal}:\n${log.join('\n')}`)
  }
  return child.exitCode
}

/** Kills a program that has not closed in time. Returns whether it was late. */
function endAfter(child: ChildProcess, options: ProgramOptions): () => boolean {
  let isLate = false
  if (options.timeout === undefined) return () => isLate
  const timer = setTimeout(() => {
    isLate = true
    send(child, 'SIGKILL', options)
  }, options.timeout)
  child.once('close', () => clearTimeout(timer))
  return () => isLate
}

function send(child: ChildProcess, signal: NodeJS.Signals, { detached }: ProgramOptions): void {
  if (detached && child.pid) process.kill(-child.pid, signal)
  else child.kill(signal)
}
