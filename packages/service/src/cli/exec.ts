/** Runs a command, such as a merchant's test suite, with a temporary service. @module */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startService } from '../start/start.ts'

/** Runs a program without a shell. Returns its exit status, or 128 plus a signal's number. */
export async function runBesideService(
  config: Config,
  command: readonly string[],
  log: Logger,
): Promise<number> {
  const origins = [...config.origins, ...shopOrigin(process.env.PORT)]
  const own = { port: 0, challengePort: 0, drainMs: 0, demo: true, origins }
  const service = await startService({ ...config, ...own }, log)
  try {
    const { baseUrl, checkoutOrigin, apiKey, adminToken, inspectorUrl } = service.ready
    // A pipe or a log gets the command's output only.
    if (process.stderr.isTTY) process.stderr.write(`inspector  ${inspectorUrl}\n`)
    return await run(command, {
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_ADMIN_TOKEN: adminToken,
      // A shared store showed its key at an earlier start, so the caller has it.
      ...(apiKey !== null && { PI_API_KEY: apiKey }),
    })
  } finally {
    await service.stop()
  }
}

/** Returns the origin of a shop that the command starts on `PORT`, if it is set. */
function shopOrigin(port: string | undefined): readonly string[] {
  return port && /^\d{1,5}$/.test(port) ? [`http://localhost:${Number(port)}`] : []
}

function run([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'inherit' })
    // A terminal sends Ctrl-C to both processes. Other signals reach this one only, so pass them on.
    const passOn = (signal: NodeJS.Signals): void => {
      child.kill(signal)
    }
    process.on('SIGINT', passOn)
    process.on('SIGTERM', passOn)
    child.once('error', () => {
      reject(new TypeError(`exec: cannot run ${program}. Check that it is installed and in PATH.`))
    })
    child.once('exit', (status, signal) => {
      process.off('SIGINT', passOn)
      process.off('SIGTERM', passOn)
      resolve(status ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
