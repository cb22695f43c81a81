/** Runs a command, such as a merchant's test suite, with a temporary service. @module */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import { startService } from '../start/start.ts'

/** Runs a program without a shell. Returns its exit status, or 128 plus a signal's number. */
export async function runBesideService(
  config: Config,
  command: readonly string[],
): Promise<number> {
  const origins = [...config.origins, ...shopOrigin(process.env.PORT)]
  const own = { port: 0, bankPort: 0, drainMs: 0, demo: true, origins }
  const service = await startService({ ...config, ...own })
  try {
    const { baseUrl, checkoutOrigin, apiKey, adminToken, inspectorUrl } = service.ready
    // A pipe or a log gets the command's output only.
    if (process.stderr.isTTY) process.stderr.write(`inspector  ${inspectorUrl}\n`)
    return await run(command, {
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_ADMIN_TOKEN: adminToken,
      PI_API_KEY: apiKey ?? undefined,
    })
  } finally {
    await service.stop()
  }
}

/** Returns the origin of a shop that the command starts on `PORT`, if it is set. */
function shopOrigin(port: string | undefined): readonly string[] {
  return port && /^\d{1,5}$/.test(port) ? [`http://localhost:${Number(port)}`] : []
}

/** Runs a program in its own process group, so that signals also reach the programs that it starts. */
function run([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const passed = new Map<NodeJS.Signals, number>()
    const passOn = (signal: NodeJS.Signals): void => {
      const at = performance.now()
      const isRepeated = at - (passed.get(signal) ?? Number.NEGATIVE_INFINITY) < oneKeyPress
      const hasExited = child.exitCode !== null || child.signalCode !== null
      if (!child.pid || hasExited || isRepeated) return
      passed.set(signal, at)
      process.kill(-child.pid, signal)
    }
    // Before the command can print anything, and until this process exits: npx may repeat a signal after the command.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, passOn)
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: 'inherit',
      detached: true,
    })
    child.once('error', () => {
      reject(
        new SettingError('exec: cannot run the command. Check that it is installed and in PATH.'),
      )
    })
    child.once('exit', (status, signal) => {
      resolve(status ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}

/** Milliseconds. For one Ctrl-C, the terminal sends SIGINT, and npx sends it again. */
const oneKeyPress = 500
