/**
 * The command line: `pi-service start`, `merchants`, `keys`, `origins`, `intents`, and what examines a service.
 *
 * @module
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import pino, { type Logger } from 'pino'
import { realNow } from '../clock.ts'
import { type Config, type Flags, readConfig } from '../config.ts'
import { StoreError } from '../db/database.ts'
import { DirectoryInUse } from '../db/embedded/directory-lock.ts'
import { describeError, logError } from '../log.ts'
import { openStore } from '../start/open-store.ts'
import {
  type AdminCommand,
  AdminError,
  type AdminResult,
  administer,
  MerchantName,
} from './admin-commands.ts'
import { sendAdminCommand } from './admin-socket.ts'
import { banner, describeFindings, describeResult } from './format-result.ts'

interface StartOptions extends Flags {
  readonly json?: boolean
}

const program = new Command('pi-service')
  .description('The Payment Intents service and its hosted checkout, on your own machine.')
  .showHelpAfterError('Run pi-service --help for the commands and their options.')
  .enablePositionalOptions()
  .exitOverride()

withStart(program.command('start').description('Starts the service until Ctrl-C or SIGTERM.'))
  .option('--port <number>', 'port of the API and the hosted page (default 4000; 0: a free one)')
  .option('--json', 'print one line of JSON when ready')
  .action(start)

const merchants = program.command('merchants').description('Merchants and their environments.')
withStore(merchants.command('list').description('Lists them with their working keys and origins.'))
  .option('--json', 'print JSON')
  .action(async ({ json, ...flags }) => {
    await run(flags, json, { command: 'merchants list' })
  })

const keys = program.command('keys').description('Secret API keys.')
withStore(keys.command('create').description('Makes a key and shows it, for the only time.'))
  .requiredOption(
    '--merchant <name>',
    'merchant that owns the key; made where it is missing',
    readMerchant,
  )
  .addOption(environmentOption().makeOptionMandatory())
  .option('--expires <time>', 'when it stops working, such as 2027-01-31T00:00:00Z', readTime)
  .option('--json', 'print JSON')
  .action(async ({ merchant, environment, expires, json, ...flags }) => {
    await run(flags, json, { command: 'keys create', merchant, environment, expiresAt: expires })
  })
withStore(keys.command('list').description('Lists keys by their ids and last characters.'))
  .option('--json', 'print JSON')
  .action(async ({ json, ...flags }) => {
    await run(flags, json, { command: 'keys list' })
  })
withStore(keys.command('revoke').description('Revokes a key at once and for good.'))
  .argument('<id>', 'id of the key, as keys list shows it')
  .option('--json', 'print JSON')
  .action(async (id, { json, ...flags }) => {
    await run(flags, json, { command: 'keys revoke', id })
  })

const origins = program.command('origins').description('Origins whose pages may show the checkout.')
for (const [name, does] of [
  ['add', 'Registers an exact origin.'],
  ['remove', 'Takes an origin out: its pages show the checkout no longer.'],
] as const) {
  withStore(origins.command(name).description(does))
    .argument('<origin>', 'such as https://shop.example.com')
    .option('--merchant <name>', 'whose (default: the first merchant)', readMerchant)
    .addOption(environmentOption().default('test'))
    .option('--json', 'print JSON')
    .action(async (origin, { merchant, environment, json, ...flags }) => {
      await run(flags, json, { command: `origins ${name}`, origin, merchant, environment })
    })
}
withStore(origins.command('list').description('Lists every origin with its merchant.'))
  .option('--json', 'print JSON')
  .action(async ({ json, ...flags }) => {
    await run(flags, json, { command: 'origins list' })
  })

const intents = program.command('intents').description('Payment Intents.')
withStore(
  intents
    .command('revoke-secret')
    .description('Revokes the clientSecret of an intent and ends its checkout sessions.'),
)
  .argument('<id>', 'id of the intent')
  .option('--json', 'print JSON')
  .action(async (id, { json, ...flags }) => {
    await run(flags, json, { command: 'intents revoke-secret', id })
  })

withStart(
  program
    .command('exec')
    .usage('[options] -- <command...>')
    .description('Runs a command next to a temporary service, in memory unless a store is given.'),
)
  .argument('<command...>', 'such as: -- npm test')
  .passThroughOptions()
  .action(exec)

withStore(
  program
    .command('doctor')
    .description('Examines machine, settings and store, and says what to do about each finding.'),
)
  .option('--port <number>', 'the port that start would be given')
  .option('--json', 'print JSON')
  .action(doctor)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

function withStore(command: Command): Command {
  return command
    .option('--data <directory>', 'directory of the embedded store (default .data/service)')
    .option('--database-url <url>', 'a PostgreSQL database instead, postgres://…')
    .option('--memory', 'keep everything in memory, for one run')
}

function withStart(command: Command): Command {
  return withStore(command).option(
    '--origin <origin>',
    'register an origin whose pages may show the checkout; may be repeated',
    (origin: string, earlier: readonly string[] = []) => [...earlier, origin],
  )
}

function environmentOption(): Option {
  return new Option('--environment <mode>', 'environment of the merchant').choices(['test', 'live'])
}

function readMerchant(text: string): string {
  if (MerchantName.safeParse(text).success) return text
  throw new InvalidArgumentError('It must have 1 to 128 characters.')
}

function readTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || time <= realNow()) {
    throw new InvalidArgumentError('It must be a time in the future, such as 2027-01-31T00:00:00Z.')
  }
  return time.toISOString()
}

async function start({ json, ...flags }: StartOptions): Promise<void> {
  const config = readConfig(flags, process.env)
  const log = createLog(config)
  // Loaded when it is needed: the other commands are faster without it.
  const { startService } = await import('../start/start.ts')
  const running = await startService(config, log)
  const { ready } = running
  console.log(json ? JSON.stringify(ready) : banner(ready))

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

/** Standard output is for the one line of JSON, or for the command. */
function createLog({ logLevel }: Config): Logger {
  return pino({ level: logLevel }, pino.destination(2))
}

async function exec(command: readonly string[], flags: Flags): Promise<void> {
  const given = flags.data ?? flags.databaseUrl
  const config = readConfig(given === undefined ? { ...flags, memory: true } : flags, process.env)
  const log = createLog(config)
  const { runBesideService } = await import('./exec.ts')
  process.exitCode = await runBesideService(config, command, log)
}

async function doctor({ json, ...flags }: StartOptions): Promise<void> {
  const { examine } = await import('./doctor/doctor.ts')
  const diagnosis = await examine(readConfig(flags, process.env))
  console.log(json ? JSON.stringify(diagnosis) : describeFindings(diagnosis.findings))
  if (!diagnosis.ok) process.exitCode = 1
}

/** Runs a command in the service that holds the directory, or else in the store itself. */
async function run(flags: Flags, json: boolean | undefined, command: AdminCommand): Promise<void> {
  const config = readConfig(flags, process.env)
  const { store } = config
  if (store.kind === 'memory') {
    throw new TypeError('--memory: nothing would be left of this command; give --data instead')
  }
  const sent =
    store.kind === 'directory' ? await sendAdminCommand(store.directory, command) : undefined
  const result = sent ?? (await runHere(config, command))
  console.log(json ? JSON.stringify(result) : describeResult(result))
}

async function runHere(
  config: Parameters<typeof openStore>[0],
  command: AdminCommand,
): Promise<AdminResult> {
  const store = await openStore(config)
  try {
    return await administer({ ...store, now: realNow }, command)
  } finally {
    await store.close()
  }
}

/** Prints the error, and returns the exit status. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode // commander has printed it.
  const known =
    error instanceof TypeError || error instanceof DirectoryInUse || error instanceof AdminError
  if (known) console.error(`pi-service: ${error.message}`)
  else if (error instanceof StoreError && error.unavailable) {
    console.error(
      `pi-service: the database cannot be reached (${error.code}); check PI_DATABASE_URL or --database-url`,
    )
  } else {
    const { name, code, message } = describeError(error)
    console.error(`pi-service: failed with ${[name, code].filter(Boolean).join(' ')}: ${message}`)
  }
  if (!known || process.env.PI_LOG_LEVEL === 'debug') console.error(describeError(error))
  return 1
}
