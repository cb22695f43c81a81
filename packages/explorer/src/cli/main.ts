/** The command `pi-explore`. @module */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Adapter, checkAdapter } from '../adapter.ts'
import { explore, type Progress } from '../explore.ts'
import { SetupError } from '../setup-error.ts'
import { report } from './report.ts'

const help = `Usage:    pi-explore [options] -- COMMAND…
Example:  npx pi-explore --time 20 -- node shop.mjs

Tries to make your shop lose, double, or invent a payment. You need no service and no key: it starts a
service in memory, and COMMAND with PORT, PI_BASE_URL, PI_CHECKOUT_ORIGIN, and PI_API_KEY for each
sequence of actions.

  --adapter FILE  how the shop differs from createCheckout() under /checkout
  --time SECONDS  how long to search (default 60)
  --replay STEPS  plays one sequence, as a violation prints it
  --help          prints this text

Exit codes: 0 no violation, 1 a violation, 2 the search could not run.`

const options = {
  adapter: { type: 'string' },
  time: { type: 'string', default: '60' },
  replay: { type: 'string' },
  help: { type: 'boolean' },
} as const

// An exit ends the shops, too.
process.once('SIGINT', () => process.exit(130))
process.once('SIGHUP', () => process.exit(129))
process.once('SIGTERM', () => process.exit(143))
process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals: command } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    })
    if (values.help) {
      console.log(help)
      return 0
    }
    if (command.length === 0) throw new TypeError(`Add the command of your shop.\n\n${help}`)
    const result = await explore({
      command,
      adapter: values.adapter ? await loadAdapter(values.adapter) : {},
      time: readSeconds(values.time) * 1000,
      replay: values.replay,
      ...(process.stderr.isTTY && { onProgress: showProgress }),
    })
    if (process.stderr.isTTY) process.stderr.write('\n')
    const adapter = values.adapter ? ` --adapter ${values.adapter}` : ''
    const replay = (steps: string): string =>
      `npx pi-explore${adapter} --replay '${steps}' -- ${command.join(' ')}`
    console.log(report(result, replay))
    return result.violation ? 1 : 0
  } catch (error) {
    const isExpected = error instanceof SetupError || error instanceof TypeError
    console.error(isExpected ? `pi-explore: ${error.message}` : error)
    return 2
  }
}

/** One line, which is replaced each time. */
function showProgress({ sequences, violation }: Progress): void {
  const result = violation
    ? `found ${violation.rule} with ${violation.steps.length} actions, looking for fewer`
    : 'no violation'
  const time = Math.round(process.uptime())
  process.stderr.write(`\r\x1b[K${sequences} sequences in ${time} s: ${result}`)
}

async function loadAdapter(file: string): Promise<Adapter> {
  if (!existsSync(file)) throw new TypeError(`--adapter: ${file} does not exist.`)
  const { default: adapter } = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly default?: unknown
  }
  if (typeof adapter !== 'object' || adapter === null) {
    throw new TypeError(`--adapter: ${file} has no object as its default export.`)
  }
  checkAdapter(adapter)
  return adapter
}

/** A timer of Node.js takes at most 24 days. */
function readSeconds(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new TypeError(`--time: must be a whole number of seconds from 1 to 999999, not ${text}.`)
}
