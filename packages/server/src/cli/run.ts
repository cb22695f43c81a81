/** The command line of `pi-checkout`, and its help. @module */
import { readFileSync } from 'node:fs'
import { parseArgs, styleText } from 'node:util'
import { sandboxHint } from '../client/configuration.ts'
import { doctor, type Finding } from './doctor.ts'

const help = `pi-checkout doctor [--env FILE]   Check everything that a first payment needs

  --env FILE   Read variables like node --env-file
  --help       Print this help
  --version    Print the version

Exit codes: 0 all checks passed, 1 a check failed, 2 an argument is malformed`

interface Result {
  readonly exitCode: 0 | 1 | 2
  readonly text: string
}

const colors = { OK: 'green', FAIL: 'red', SKIP: 'yellow' } as const

/** Runs a command line, without the name of the program. */
export async function run(args: readonly string[]): Promise<Result> {
  const read = readArguments(args)
  if (!read) return { exitCode: 2, text: `An argument is malformed.\n\n${help}` }
  if (read.help || args.length === 0) return { exitCode: 0, text: help }
  if (read.version) return { exitCode: 0, text: version() }
  try {
    // Variables of the environment take precedence, as for `node --env-file`.
    if (read.env !== undefined) process.loadEnvFile(read.env)
  } catch {
    const fix = 'Pass the file with which your shop is started.'
    return { exitCode: 2, text: `--env: the file cannot be read. ${fix}` }
  }
  return report(await doctor())
}

function report(findings: readonly Finding[]): Result {
  const lines = findings.map(({ name, result, detail }) => {
    const word = styleText(colors[result], result.padEnd(4))
    return `${word}  ${name} ${detail.replace(` ${sandboxHint}`, '')}`
  })
  if (findings.some(({ detail }) => detail.endsWith(sandboxHint))) lines.push('', sandboxHint)
  const count = (wanted: string) => findings.filter(({ result }) => result === wanted).length
  const failed = count('FAIL')
  lines.push('', failed ? `${failed} failed, ${count('SKIP')} skipped.` : 'All checks passed.')
  return { exitCode: failed ? 1 : 0, text: lines.join('\n') }
}

const options = {
  env: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const

/** @returns `undefined` if an argument is malformed. */
function readArguments(args: readonly string[]) {
  try {
    const config = { args: [...args], options, allowPositionals: true } as const
    const { values, positionals } = parseArgs(config)
    const isDoctor = positionals.length === 1 && positionals[0] === 'doctor'
    return isDoctor || values.help || values.version || args.length === 0 ? values : undefined
  } catch {
    return undefined
  }
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(manifest).version
}
