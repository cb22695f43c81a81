/**
 * The command line: `pi-service start`, `exec`, `merchants`, `keys`, `origins`, `intents`.
 *
 * Each command loads its own modules, so that help and mistakes are printed without a wait.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlCharacters } from '@pi-checkout/contract'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { type Flags, readConfig } from '../config.ts'
import { isExplained } from '../explained-error.ts'
import { describeError } from '../log.ts'
import { packageRoot } from '../package-root.ts'
import { redact } from '../redact.ts'
import type { Database } from '../store/database.ts'
import { StoreError } from '../store/errors.ts'
import type * as Commands from './admin-commands.ts'
import type { StartOptions } from './start.ts'

const manifest = readFileSync(join(packageRoot, 'package.json'), 'utf8')
const { version } = JSON.parse(manifest) as { readonly version: string }

const program = new Command('pi-service')
  .description('The Payment Intents service and its hosted checkout, on your own machine')
  .version(version, '--version', 'print the version')
  .addHelpText(
    'after',
    `
Example:  npx pi-service exec -- npm test

Exit codes: 0 done or stopped by a signal, 1 failed or an argument is malformed. exec exits with the
status of its command, or with 128 plus the number of the signal that ended it.`,
  )
  .enablePositionalOptions()
  .configureOutput({
    outputError: (text, write) => write(redact(text.replace(/^error:/, 'pi-service:'))),
  })
  .exitOverride()
  .showHelpAfterError('Add --help to the command for its options.')

withStart(program.command('start').description('Start the service; Ctrl-C or SIGTERM stops it'))
  .option(
    '--port <number>',
    'port of the API and the hosted page (default 4000; 0 selects a free port)',
  )
  .option('--demo', 'create the demo merchant and its test key in PostgreSQL too')
  .option('--check', 'start, stop, and exit with 1 if that fails')
  .option('--json', 'print one line of JSON')
  .action(start)

const merchants = program
  .command('merchants')
  .description('Manage merchants and their environments')
withStore(
  merchants.command('list').description('List environments with their valid keys and origins'),
).action(async (options) => await administer(options, ({ listMerchants }, db) => listMerchants(db)))

const keys = program.command('keys').description('Manage secret API keys')
withStore(keys.command('create').description('Create a key and show it once'))
  .requiredOption(
    '--merchant <name>',
    'required: merchant that owns the key; created if it does not exist',
    readMerchant,
  )
  .addOption(environmentOption('required: environment of the key').makeOptionMandatory())
  .action(async ({ merchant, environment, ...options }) => {
    await administer(options, ({ createKey }, db) => createKey(db, { merchant, environment }))
  })
withStore(keys.command('list').description('List keys by id and last characters')).action(
  async (options) => await administer(options, ({ listKeys }, db) => listKeys(db)),
)
withStore(keys.command('revoke').description('Revoke a key permanently'))
  .argument('<id>', 'id of the key, as keys list shows it')
  .action(async (id, options) => {
    await administer(options, ({ revokeKey }, db) => revokeKey(db, id))
  })

const origins = program
  .command('origins')
  .description('Manage origins whose pages may show the checkout')
for (const [change, description] of [
  ['add', 'Register an exact origin'],
  ['remove', 'Remove an origin, so that its pages cannot show the checkout'],
] as const) {
  withStore(origins.command(change).description(description))
    .argument('<origin>', 'such as https://shop.example.com')
    .option('--merchant <name>', 'owner of the origin (default: the first merchant)', readMerchant)
    .addOption(environmentOption('environment of the merchant').default('test'))
    .action(async (origin, { merchant, environment, ...options }) => {
      const named = { merchant, environment, origin }
      await administer(options, ({ changeOrigin }, db) => changeOrigin(db, change, named))
    })
}

const intents = program.command('intents').description('Manage Payment Intents')
withStore(
  intents
    .command('revoke-secret')
    .description('Revoke the clientSecret of an intent and end its checkout sessions'),
)
  .argument('<id>', 'id of the intent')
  .action(async (id, options) => {
    await administer(options, ({ revokeSecret }, db) => revokeSecret(db, id))
  })

withStart(
  program
    .command('exec')
    .usage('[options] -- <command...>')
    .description('Run a command with a temporary service, in memory unless a store is given'),
)
  .argument('<command...>', 'such as: -- npm test')
  .passThroughOptions()
  .action(exec)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

function withStore(command: Command): Command {
  return command
    .option('--data <directory>', 'directory of the embedded store (default .data/service)')
    .option('--database-url <url>', 'PostgreSQL database, postgres://…')
}

function withStart(command: Command): Command {
  return withStore(command)
    .option('--memory', 'keep everything in memory until the service stops')
    .option(
      '--shop-origin <origin>',
      'register an origin of a shop, whose pages may show the checkout; repeatable',
      (origin: string, earlier: readonly string[] = []) => [...earlier, origin],
    )
}

function environmentOption(description: string): Option {
  return new Option('--environment <mode>', description).choices(['test', 'live'])
}

function readMerchant(text: string): string {
  if (text.length > 0 && text.length <= 128 && !controlCharacters.test(text)) return text
  const rule =
    'It must have 1 to 128 characters, and none that controls a terminal or the direction of text.'
  throw new InvalidArgumentError(rule)
}

async function start(options: Flags & StartOptions): Promise<void> {
  const { runService } = await import('./start.ts')
  await runService(readConfig(options, process.env), options)
}

async function exec(command: readonly string[], flags: Flags): Promise<void> {
  const chosen = flags.data ?? flags.databaseUrl
  const config = readConfig(chosen === undefined ? { ...flags, memory: true } : flags, process.env)
  const { runBesideService } = await import('./exec.ts')
  process.exitCode = await runBesideService(config, command)
}

async function administer(
  flags: Flags,
  command: (commands: typeof Commands, db: Database) => Promise<object>,
): Promise<void> {
  const { store } = readConfig(flags, process.env)
  const { openDatabase } = await import('../start/open-store.ts')
  const db = await openDatabase(store)
  try {
    const result = await command(await import('./admin-commands.ts'), db)
    console.log(JSON.stringify(result, null, 2))
  } finally {
    await db.close()
  }
}

function explain(error: unknown): number {
  // Commander has printed it. A group without a command prints its help, which is no mistake.
  if (error instanceof CommanderError) return error.code === 'commander.help' ? 0 : error.exitCode
  const isKnown = error instanceof Error && isExplained(error)
  const problem = isKnown ? error.message : (storeProblem(error) ?? unexplained(error))
  for (const line of problem.split('\n')) console.error(`pi-service: ${line}`)
  if (!isKnown) console.error(describeError(error))
  return 1
}

function storeProblem(error: unknown): string | undefined {
  if (!(error instanceof StoreError && error.unavailable)) return undefined
  return error.code.startsWith('SQLITE')
    ? `The data directory cannot be read or written (${error.code}). Free some space, or restore it from a backup.`
    : `The database cannot be reached or written (${error.code}). Check that it is running, and that --database-url or PI_DATABASE_URL names the primary.`
}

function unexplained(error: unknown): string {
  const { name, code, message } = describeError(error)
  return `failed with ${[name, code].filter(Boolean).join(' ')}: ${message}`
}
