/** The commands of `pi-checkout`, and its help. @module */
import { create } from './create.ts'
import { doctor } from './doctor.ts'
import { type Command, exitCodes, reportFailure, type Terminal } from './exit-codes.ts'
import { get } from './get.ts'
import { key } from './key.ts'

const help = `pi-checkout: Payment Intents from the command line

  pi-checkout create --order A-1001 --major 1500 --currency amd
  pi-checkout get ID [--watch]
  pi-checkout key --order A-1001 --major 1500 --currency amd
  pi-checkout doctor [--env FILE] [--page URL]

create and key
  --order ID           Set your order id, 1 to 32 characters
  --major 19.99        Set the amount in whole units, or
  --minor 1999         Set the amount in minor units
  --currency CODE      Set AMD, USD, EUR or RUB
  --customer ID        Set the customer [--email ADDRESS] [--name NAME]
  --metadata KEY=VALUE Add metadata (repeatable)
  --attempt N          Create another intent for the same order (default 1)
  --namespace NAME     Separate shops whose order ids may collide
create
  --idempotency-key K  Replace the derived key
  --reveal             Show clientSecret, which is masked otherwise
get
  --watch              Wait until the intent is final
  --total-timeout TIME Stop watching after this time, such as 30s (default 10m)
doctor
  --env FILE           Read variables like node --env-file
  --page URL           Check the headers of a page, such as http://localhost:3000/
all
  --json               Print one line of JSON

Reads PI_API_KEY and PI_BASE_URL. Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`)
  .join('\n')}
`

const commands: ReadonlyMap<string, Command> = new Map(Object.entries({ create, get, key, doctor }))

/** Runs a command line, without the name of the program, and returns the exit code. */
export async function run(
  [name, ...args]: readonly string[],
  output: Pick<Terminal, 'print' | 'warn' | 'signal'>,
): Promise<number> {
  const terminal = { ...output, json: args.includes('--json') }
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help')) {
    terminal.print(help)
    return exitCodes.done.code
  }
  const command = commands.get(name ?? '')
  if (!command) {
    const text = `Unknown command ${JSON.stringify(name)}. Run pi-checkout --help for a list of commands.`
    terminal.warn(name === undefined ? help : text)
    return exitCodes.usage.code
  }
  try {
    return await command(args, terminal)
  } catch (error) {
    return reportFailure(error, terminal)
  }
}
