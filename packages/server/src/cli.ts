/**
 * `pi-checkout`: create, get and explain a Payment Intent from a terminal or a script.
 *
 * @module
 */
import { create } from './commands/create.ts'
import { doctor } from './commands/doctor.ts'
import { exitCodes, reportFailure } from './commands/exit-codes.ts'
import { get } from './commands/get.ts'
import { key } from './commands/key.ts'
import type { Command } from './commands/terminal.ts'

const help = `pi-checkout: Payment Intents from the command line

  pi-checkout create --order A-1001 --major 1500 --currency amd
  pi-checkout get ID [--watch]
  pi-checkout key --order A-1001 --major 1500 --currency amd
  pi-checkout doctor [--env FILE] [--page URL]

create and key
  --order ID           your order, 1 to 32 characters
  --major 19.99        the amount in whole units, or
  --minor 1999         the amount in minor units
  --currency CODE      AMD, USD, EUR or RUB
  --customer ID        [--email ADDRESS] [--name NAME]
  --metadata KEY=VALUE as often as needed
  --attempt N          a fresh intent for the same order (default 1)
  --namespace NAME     keeps shops with colliding order ids apart
create
  --idempotency-key K  instead of the derived one
  --reveal             shows clientSecret, which is masked otherwise
get
  --watch              follows the intent until it is final
  --deadline SECONDS   gives up watching (default 600)
doctor
  --env FILE           reads variables as node --env-file does
  --page URL           also looks at a page's policy, such as http://localhost:3000/
all
  --json               one line of JSON

Reads PI_API_KEY and PI_BASE_URL. Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`)
  .join('\n')}
`

const commands: ReadonlyMap<string, Command> = new Map([
  ['create', create],
  ['get', get],
  ['key', key],
  ['doctor', doctor],
])

const [name, ...args] = process.argv.slice(2)
process.exitCode = await run(name, args)

async function run(name: string | undefined, args: string[]): Promise<number> {
  const terminal = {
    print: (text: string) => console.log(text),
    warn: (text: string) => console.error(text),
    json: args.includes('--json'),
    signal: interrupted(),
  }
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help')) {
    terminal.print(help)
    return exitCodes.done.code
  }
  const command = name === undefined ? undefined : commands.get(name)
  if (!command) {
    terminal.warn(name === undefined ? help : `There is no command of this name.\n\n${help}`)
    return exitCodes.usage.code
  }
  try {
    return await command(args, terminal)
  } catch (error) {
    return reportFailure(error, terminal)
  }
}

/** The first Ctrl-C ends a call in order; a second one ends the process. */
function interrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}
