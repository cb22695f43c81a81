/** Runs a service until a signal stops it, or starts it once as a check. @module */
import type { Config } from '../config.ts'
import { logError } from '../log.ts'
import { createLog, type RunningService, startService } from '../start/start.ts'

export interface StartOptions {
  /** Prints one line of JSON. */
  readonly json?: boolean
  /** Stops after the start. */
  readonly check?: boolean
}

export async function runService(config: Config, { json, check }: StartOptions): Promise<void> {
  const log = createLog(config)
  const running = await startService(check ? { ...config, drainMs: 0 } : config, log)
  if (check) {
    await running.stop()
    process.stdout.write('The service can start.\n')
    return
  }
  const { ready } = running
  // A later version whose line has another meaning raises `v`.
  const line = json ? JSON.stringify({ v: 1, ...ready }) : banner(ready, showsToken(config))
  process.stdout.write(`${line}\n`)

  let stopping = false
  const stop = (): void => {
    // A second Ctrl-C does not wait.
    if (stopping) process.exit(1)
    stopping = true
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logError(log, error, { event: 'The service did not stop cleanly' })
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Whether `start` prints the inspector's token. A supervisor would log it. */
function showsToken({ demo, store }: Config): boolean {
  return process.stdout.isTTY || demo || store.kind !== 'postgres'
}

function banner(ready: RunningService['ready'], showsToken: boolean): string {
  const link = ready.inspectorUrl
  const inspector = showsToken
    ? link
    : link.replace(/#.*/, ' (its token is printed in a terminal only)')
  return [
    'The Payment Intents service is ready. It accepts test cards only, and no money moves.',
    '',
    `  PI_BASE_URL=${ready.baseUrl}`,
    `  PI_CHECKOUT_ORIGIN=${ready.checkoutOrigin}`,
    `  PI_API_KEY=${ready.apiKey ?? '(not shown; run pi-service keys create for a key)'}`,
    '',
    `  inspector    ${inspector}`,
    '  test cards   4242 4242 4242 4242 succeeds, 4000 0000 0000 0002 is declined,',
    '               4000 0000 0000 3220 asks for a code (1234)',
  ].join('\n')
}
