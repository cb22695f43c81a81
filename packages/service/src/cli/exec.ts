/**
 * Runs a command next to a temporary service, such as a merchant's test suite.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startService } from '../start/start.ts'

/**
 * Starts a service on free ports, which knows the pages of `http://localhost:PORT`, runs the command with the merchant's variables set, and stops.
 *
 * @param command Program and arguments; no shell reads them.
 * @returns The command's own exit status; 128 and the signal's number when a signal ended it.
 * @throws {TypeError} There is no such program.
 */
export async function runBesideService(
  config: Config,
  command: readonly string[],
  log: Logger,
): Promise<number> {
  const origins = [...config.origins, ...shopOrigin(process.env.PORT)]
  const service = await startService({ ...config, port: 0, challengePort: 0, origins }, log)
  try {
    const { baseUrl, checkoutOrigin, apiKey, adminToken, inspectorUrl } = service.ready
    // A person is there; what a pipe or a log gets is the command's alone.
    if (process.stderr.isTTY) process.stderr.write(`inspector  ${inspectorUrl}\n`)
    return await run(command, {
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_ADMIN_TOKEN: adminToken,
      // A shared store has shown its key to an earlier start: the caller then has it already.
      ...(apiKey !== null && { PI_API_KEY: apiKey }),
    })
  } finally {
    await service.stop()
  }
}

/** The origin of a shop that the command starts on `PORT`. */
function shopOrigin(port: string | undefined): readonly string[] {
  return port && /^\d{1,5}$/.test(port) ? [`http://localhost:${Number(port)}`] : []
}

function run([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'inherit' })
    // A terminal sends Ctrl-C to both; one that is sent to us alone is handed on.
    const hand = (signal: NodeJS.Signals): void => {
      child.kill(signal)
    }
    process.on('SIGINT', hand)
    process.on('SIGTERM', hand)
    child.once('error', () => {
      reject(new TypeError(`exec: ${program} could not be run; is it installed and in PATH?`))
    })
    child.once('exit', (status, signal) => {
      process.off('SIGINT', hand)
      process.off('SIGTERM', hand)
      resolve(status ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
