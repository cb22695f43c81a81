/** The command `pi-explore`. @module */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Adapter } from '../adapter.ts'
import type { Exploration, ExploreOptions } from '../exploration.ts'
import { explore } from '../explore.ts'
import { SetupError } from '../setup-error.ts'
import { report } from './report.ts'

const help = `Usage:    pi-explore [options] -- COMMAND…
Example:  npx pi-explore --runs 20 -- node shop.mjs

Tries to make your shop lose, double, or invent a payment. You need no service and no key: it starts a
service in memory, and COMMAND with PORT, PI_BASE_URL, PI_CHECKOUT_ORIGIN, and PI_API_KEY for each
sequence of actions.

  --adapter FILE  how the shop differs from createCheckout() under /checkout
  --runs N        number of sequences (default 100)
  --time SECONDS  ends the search after this time
  --replay STEPS  plays one sequence, as a violation prints it
  --help          prints this text

Exit codes: 0 no violation, 1 a violation, 2 the search could not run.`

const options = {
  adapter: { type: 'string' },
  runs: { type: 'string' },
  time: { type: 'string' },
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
    const isSearch = values.replay === undefined
    if (isSearch) console.error(intro(command.join(' '), values.time))
    const startedAt = performance.now()
    const result = await explore({
      command,
      ...(isSearch && { onProgress: showProgress }),
      ...(values.adapter && { adapter: await loadAdapter(values.adapter) }),
      ...(values.runs && { runs: readNumber('--runs', values.runs) }),
      ...(values.time && { time: readNumber('--time', values.time) * 1000 }),
      ...(values.replay !== undefined && { replay: values.replay }),
    } satisfies ExploreOptions)
    if (isSearch && process.stderr.isTTY) process.stderr.write('\n')
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const shown = { command, adapter: values.adapter, seconds }
    console.log(report(result, shown))
    return result.violation ? 1 : 0
  } catch (error) {
    const isExpected = error instanceof SetupError || error instanceof TypeError
    console.error(isExpected ? `pi-explore: ${shortened(error.message)}` : error)
    return 2
  }
}

/** Node.js explains at length how an unknown option would be passed as an argument. */
function shortened(message: string): string {
  const [, option] = /^Unknown option ('[^']*')/.exec(message) ?? []
  return option ? `Unknown option ${option}.\n\n${help}` : message
}

function intro(command: string, time: string | undefined): string {
  return `Explores: ${command}
Each sequence starts it anew. Then buyers pay, are declined, cancel, and come back, in several tabs.
Responses get lost, requests are forged, and time passes. At the end, the shop's records must agree
with the service's. ${time ? `Ends after ${time} seconds.` : 'Ctrl-C ends it.'}
`
}

/** One line, which a terminal replaces each time. */
function showProgress({
  sequences,
  violation,
}: Pick<Exploration, 'sequences' | 'violation'>): void {
  const result = violation
    ? `found ${violation.rule} with ${violation.steps.length} actions, looking for fewer`
    : 'no violation'
  const line = `${sequences} sequences in ${Math.round(process.uptime())} s: ${result}`
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  else if (sequences % 25 === 0) process.stderr.write(`${line}\n`)
}

async function loadAdapter(file: string): Promise<Adapter> {
  if (!existsSync(file)) throw new TypeError(`--adapter: ${file} does not exist.`)
  const { default: adapter } = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly default?: Adapter
  }
  if (typeof adapter !== 'object' || adapter === null) {
    throw new TypeError(`--adapter: ${file} has no object as its default export.`)
  }
  return adapter
}

function readNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new TypeError(`${name}: must be a whole number from 1, not ${text}.`)
}
