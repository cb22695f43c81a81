/**
 * The built service as a process.
 *
 * @module
 */
import { piService, runProgram } from '@pi-checkout/test-support/process'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'

export interface ServiceProcess extends Program<ServiceReady> {
  readonly url: string
  readonly apiKey: string
}

/** Starts `pi-service start --json` on a free port. */
export async function startProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  const program = await startService(args, env)
  return { ...program, url: program.ready.baseUrl, apiKey: String(program.ready.apiKey) }
}

/** Runs a command of `pi-service`. */
export async function command(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: number | null; out: string; error: string }> {
  const { code, output, errors } = await runProgram([piService, ...args], { env })
  return { status: code, out: output, error: errors }
}
