/** The command line of `pi-checkout`, and its help. @module */
import { readFileSync } from 'node:fs'
import { parseArgs, styleText } from 'node:util'
import { sandboxHint } from '../client/configuration.ts'
import { doctor } from './doctor.ts'

const help = `pi-checkout doctor [--env FILE]   Check everything that a first payment needs

  --env FILE   Read variables like node --env-file
  --help       Print this help
  --version    Print the version

Exit codes: 0 all checks passed, 1 a check failed, 2 an argument is malformed`

/** Where a command line writes to. */
export interface Terminal {
  /** Writes results to standard output. */
  readonly print: (text: string) => void
  /** Writes everything else to standard error. */
  readonly warn: (text: string) => void
  /** @default false */
  readonly hasColors?: boolean
}

const colors = { OK: 'green', FAIL: 'red', SKIP: 'yellow' } as const

/** Runs a command line, without the name of the program, and returns the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { print, warn, hasColors = false } = terminal
  const read = readArguments(args)
  if (read === undefined) {
    warn(`An argument is malformed.\n\n${help}`)
    return 2
  }
  if (read.help || read.version) {
    print(read.help ? help : version())
    return 0
  }
  if (read.env !== undefined) {
    try {
      // Variables of the environment take precedence, as for `node --env-file`.
      process.loadEnvFile(read.env)
    } catch {
      warn('--env: the file cannot be read. Pass the file with which your shop is started.')
      return 2
    }
  }
  const findings = await doctor()
  for (const { name, result, detail } of findings) {
    const word = result.padEnd(4)
    const shown = hasColors ? styleText(colors[result], word) : word
    print(`${shown}  ${name} ${detail.replace(` ${sandboxHint}`, '')}`)
  }
  if (findings.some(({ detail }) => detail.endsWith(sandboxHint))) print(`\n${sandboxHint}`)
  const [failed, skipped] = (['FAIL', 'SKIP'] as const).map(
    (wanted) => findings.filter(({ result }) => result === wanted).length,
  )
  print(failed === 0 ? '\nAll checks passed.' : `\n${failed} failed, ${skipped} skipped.`)
  return failed === 0 ? 0 : 1
}

const options = {
  env: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const

/** @returns `undefined` if an argument is malformed. */
function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    })
    const isDoctor = positionals.length === 1 && positionals[0] === 'doctor'
    return isDoctor || values.help || values.version ? values : undefined
  } catch {
    return undefined
  }
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(manifest).version
}
