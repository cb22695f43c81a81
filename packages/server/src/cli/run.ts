/** The command line of `pi-checkout`, and its help. @module */
import { parseArgs } from 'node:util'
import { sandboxHint } from '../client/configuration.ts'
import { maskValue, quote } from '../client/redact.ts'
import { doctor } from './doctor.ts'
import { colored, type Terminal } from './terminal.ts'

const help = `pi-checkout: checks what your shop needs of the service

  pi-checkout doctor [--env FILE]     Checks everything that a first payment needs
  pi-checkout probe [OPTIONS]         Finds out how another service of the specification behaves

  --env FILE              Read variables like node --env-file

Options of probe, which creates two intents that stay unpaid:
  --write FILE            Write the profile for PI_PROFILE
  --paid STATUS           A status that means paid; also --failed and --processing. Repeat it, or use commas
  --currency CODE         Of the intents (AMD)
  --other-env FILE        Variables of another merchant, to retrieve the intent with its key
  --yes                   Use a key that may be live
  --json                  Print one line

Exit codes:
  0  no check failed
  1  a check failed
  2  an argument is malformed, or nothing could be checked
`

/** Runs a command line, without the name of the program, and returns the exit code. */
export async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  const { print, warn } = terminal
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help')) {
    print(help)
    return 0
  }
  if (name !== 'doctor' && name !== 'probe') {
    const meant = ['doctor', 'probe'].find((command) => command[0] === name?.[0]?.toLowerCase())
    const next = meant ? `Did you mean ${meant}?` : 'Run pi-checkout --help for a list of commands.'
    warn(name === undefined ? help : `Unknown command ${quote(name)}. ${next}`)
    return 2
  }
  try {
    const rest = readVariables(args)
    if (name === 'probe') {
      // Loaded on use: `doctor` does not need it.
      const { probeCommand } = await import('./probe-command.ts')
      return await probeCommand(rest, terminal)
    }
    parseArgs({ args: rest, options: {} })
  } catch (error) {
    warn(maskValue(error instanceof Error ? error.message : String(error)))
    return 2
  }
  const findings = await doctor()
  for (const { name: subject, result, detail } of findings) {
    print(`${colored(result, terminal)}  ${subject} ${detail.replace(` ${sandboxHint}`, '')}`)
  }
  if (findings.some(({ detail }) => detail.endsWith(sandboxHint))) print(`\n${sandboxHint}`)
  const [failed, skipped] = (['FAIL', 'SKIP'] as const).map(
    (wanted) => findings.filter(({ result }) => result === wanted).length,
  )
  print(failed === 0 ? '\nAll checks passed.' : `\n${failed} failed, ${skipped} skipped.`)
  return failed === 0 ? 0 : 1
}

/**
 * Reads the file of `--env`. Variables of the environment take precedence, as for `node --env-file`.
 *
 * @returns The other arguments.
 */
function readVariables(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => arg === '--env' || arg.startsWith('--env='))
  if (at === -1) return [...args]
  const [, inline] = args[at]?.split(/=(.*)/s) ?? []
  const file = inline ?? args[at + 1] ?? ''
  try {
    process.loadEnvFile(file)
  } catch {
    throw new TypeError(
      `--env: cannot read ${file}. Pass the file with which your shop is started.`,
    )
  }
  return args.toSpliced(at, inline === undefined ? 2 : 1)
}
