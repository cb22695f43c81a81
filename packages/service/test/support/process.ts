/**
 * The service as a user runs it: its own process, one line of JSON, signals.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { piService, runProgram, startProgram } from '@pi-checkout/test-support/process'
import type { Running } from '../../src/start.ts'

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
  const { line, child, stop } = await startProgram([piService, 'start', '--json', ...args], {
    env,
  })
  const ready = JSON.parse(line) as Running['ready']
  return {
    process: child,
    ready,
    url: ready.baseUrl,
    apiKey: String(ready.apiKey),
    end: stop,
  }
}

/** Runs a command to its end. */
export async function command(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; out: string; error: string }> {
  const { code, output, errors } = await runProgram([piService, ...args], { env })
  return { status: code, out: output, error: errors }
}
