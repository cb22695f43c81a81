import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { testCards } from '@pi-checkout/contract/sandbox'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type AdminCommand, administer } from '../../src/cli/admin-commands.ts'
import { readConfig } from '../../src/config.ts'
import { openPool, sessionSettings } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { openStore } from '../../src/start/open-store.ts'
import { answer, enter } from '../support/checkout.ts'
import { startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { explainAll, query } from '../support/plans.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, created, retrieve, startTestService } from '../support/service.ts'

/** A store that is opened again after the service has stopped. */
interface Subject {
  readonly env: NodeJS.ProcessEnv
  readonly open: () => Promise<ReturnType<typeof openPool>>
  readonly openEmpty: () => Promise<ReturnType<typeof openPool>>
}

// The first start compiles the code. The watchdog would count that as a slow statement.
beforeAll(async () => await (await startTestService()).stop(), 60_000)

test.each([
  ['PGlite', startEmbedded],
  ['PostgreSQL', startServer],
] as const)(
  '%s reads little for each statement, whatever it knows of its tables',
  async (_, start) => {
    const { env, open, openEmpty } = await start()
    // The statistics say that all tables are empty.
    const first = await open()
    await migrate(first)
    await query(first, 'analyze')
    await first.close()
    const statements = await statementsOf(async () => await playStory(env))
    expect(statementsWithout(statements), 'statements that the story does not send').toEqual([])

    const filled = await open()
    const plans = { 'analyzed when empty': await explainAll(filled, statements) }
    await query(filled, 'analyze')
    const known = await explainAll(filled, statements)
    const growing = await largeTables(filled)
    await filled.close()
    const empty = await openEmpty()
    await migrate(empty)
    Object.assign(plans, { empty: await explainAll(empty, statements) })
    await query(empty, 'analyze')
    Object.assign(plans, { 'empty and analyzed': await explainAll(empty, statements) })
    await empty.close()

    expect(growing.size).toBeGreaterThan(0)
    const faults: string[] = []
    for (const [text, plan] of known) {
      const scans = plan.scans.filter(({ table }) => growing.has(table))
      if (scans.length === 0) continue
      const add = (fault: string, { shape } = plan): void => {
        faults.push([fault, text, ...shape].join('\n'))
      }
      if (plan.joined > 2) add('It joins more than two tables')
      if (scans.some(({ isByIndex }) => !isByIndex)) add('It reads a whole table')
      if (scans.some(({ isLimited, rows }) => !isLimited && rows > 100)) add('It reads many rows')
      for (const [store, found] of Object.entries(plans)) {
        const other = found.get(text)
        if (other?.shape.join() !== plan.shape.join()) add(`Another plan if ${store}`, other)
      }
    }
    expect(faults.join('\n\n')).toBe('')
  },
  180_000,
)

async function startEmbedded(): Promise<Subject> {
  const directory = temporaryFolder()
  return {
    env: { PI_DATA_DIR: directory },
    open: async () => await openPglite(join(directory, 'database')),
    openEmpty: async () => await openPglite(undefined),
  }
}

async function startServer(): Promise<Subject> {
  const { url, env } = await startPostgres({ autovacuum: 'off' })
  const empty = `${url}_empty`
  const client = new pg.Client(url)
  await client.connect()
  await client.query('create database postgres_empty')
  await client.end()
  const open = (connectionString: string) =>
    openPool({ connectionString, max: 1, prepare }, 'postgres')
  return { env, open: async () => open(url), openEmpty: async () => open(empty) }
}

async function prepare(client: pg.PoolClient): Promise<void> {
  for (const [name, value] of Object.entries(sessionSettings)) {
    await client.query(`set ${name} = '${value}'`)
  }
}

/** Returns the statements that the driver prepares meanwhile. */
async function statementsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const texts = new Set<string>()
  const send = pg.Client.prototype.query
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...sent: unknown[]
  ) {
    const [statement] = sent as [Partial<pg.QueryConfig>]
    if (statement.name && statement.text) texts.add(statement.text)
    return Reflect.apply(send, this, sent)
  } as typeof send)
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return [...texts].filter((text) => /^\s*(?:select|insert|update|delete|with)\b/.test(text))
}

/** Statements of the sources that read or change a table, and that are not among the sent ones. */
function statementsWithout(sent: readonly string[]): readonly string[] {
  const folder = new URL('../../src/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => name.endsWith('.ts')).map((name) => new URL(name, folder))
  return sources
    .flatMap((file) => readFileSync(file, 'utf8').match(templates) ?? [])
    .filter((template) => {
      const parts = template.slice(1, -1).split(inserted)
      return ofTables.test(template) && !sent.some((text) => contains(text, parts))
    })
}

const templates = /(?<=\bquery(?:<[^`]{1,200}>)?)`(?:[^`$]|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})+`/g
const inserted = /\$\{(?:[^{}]|\{[^{}]*\})*\}/
const ofTables =
  /\b(?:from|into|update)\s+(?:intents|environments|merchants|api_keys)\b|selectEnvironment/

/** Returns whether a text has all parts, in their order. */
function contains(text: string, parts: readonly string[]): boolean {
  let from = 0
  return parts.every((part) => {
    const at = text.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}

/** Tables with more rows than merchants have environments and keys. */
async function largeTables(db: Parameters<typeof query>[0]): Promise<ReadonlySet<string>> {
  const tables = await query<{ name: string }>(
    db,
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples > 50`,
  )
  return new Set(tables.map(({ name }) => name))
}

const minute = 60_000
const day = 24 * 60 * minute

/** What merchants, buyers, developers, and operators do, and the work in the background. */
async function playStory(store: NodeJS.ProcessEnv): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const keys = newSecretKeys()
  const env = { PI_SECRET_KEYS: keys, PI_RETENTION_DAYS: '3', PI_RATE_LIMIT: '100000', ...store }
  const service = await startTestService(env)
  const environment = await environmentId(service)
  const path = `/environments/${environment}`

  const key = (count: number) => ({ 'idempotency-key': `order-${count}` })
  const ids: string[] = []
  for (let count = 0; count < 800; count += 40) {
    const batch = Array.from(
      { length: 40 },
      async (_, at) => await created(service, undefined, key(count + at)),
    )
    ids.push(...(await Promise.all(batch)).map(({ id }) => id))
  }
  const [first = '', second = ''] = ids
  await create(service, undefined, key(1))
  await create(service, { amount: 1, currency: 'AMD', orderId: 'other' }, key(1))
  await retrieve(service, first)
  for (const [at, id] of ids.slice(0, 120).entries()) {
    const outcome = ['succeeded', 'declined', 'failed', 'processing', 'canceled', 'expired'][at % 6]
    await control(service, 'POST', `/intents/${id}/settle`, { outcome })
  }

  for (let count = 0; count < 60; count++) {
    const page = new HostedPage(service)
    await page.open(await created(service))
    await page.pay(testCards.challenge)
    const ticket = await page.openChallenge()
    const token = await enter(ticket)
    await answer(ticket, token, count % 2 ? '1234' : '5555')
    // The page that was opened with a used token.
    await enter(ticket)
    if (count === 0) await page.post('cancel', {})
    await page.view()
    if (count > 0) continue
    const leaving = new AbortController()
    const waiting = page.view('?waitForVersion=100', leaving.signal).catch(() => undefined)
    // Each compares the requests that wait.
    for (let move = 0; move < 5; move++)
      await control(service, 'PUT', `${path}/clock`, { offset: move })
    leaving.abort()
    await waiting
  }

  for (const query of ['', `?before=${first}`, '?q=A-1001&status=expired', `?q=${second}`]) {
    await control(service, 'GET', `${path}/intents${query}`)
  }
  for (const tool of [`/intents/${first}`, `${path}/requests?q=A-1001`, `${path}/idempotency`]) {
    await control(service, 'GET', tool)
  }
  await control(service, 'POST', `/intents/${second}/revoke-secret`)
  await control(service, 'POST', `${path}/origins`, { origin: 'https://shop.example' })
  await control(service, 'DELETE', `${path}/origins?origin=https://shop.example`)
  // In another environment, because time deletes all intents of one.
  const made = await control(service, 'POST', '/environments', { origins: ['https://a.example'] })
  const { id, apiKey } = (await made.json()) as { id: string; apiKey: string }
  for (const count of [0, 0, 1, 2]) await created({ ...service, apiKey }, undefined, key(count))
  await control(service, 'PUT', `/environments/${id}/clock`, { advance: 6 * day })
  await create({ ...service, apiKey }, undefined, key(0))
  // The first round applies deadlines, and the next one deletes what they have ended.
  for (let round = 0; round < 3; round++) {
    vi.advanceTimersByTime(10_000)
    await setTimeout(300)
  }
  await created({ ...service, apiKey })
  await control(service, 'POST', '/reset', { environment: id })
  await control(service, 'DELETE', `/environments/${id}`)
  await control(service, 'PUT', `${path}/clock`, { advance: 11 * minute })
  vi.advanceTimersByTime(10_000)
  await setTimeout(300)
  await service.stop()
  await operate(env, first)
  // Another key replaces the first one, which stored rows need.
  const other = newSecretKeys().replace('k1', 'k2')
  await startTestService({ ...env, PI_SECRET_KEYS: other }).catch(() => undefined)
  const rotated = await startTestService({
    ...env,
    PI_SECRET_KEYS: `${other},${env.PI_SECRET_KEYS}`,
  })
  await create({ ...rotated, apiKey: service.apiKey })
  await rotated.stop()
}

async function operate(env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const opened = await openStore(readConfig({}, env))
  const run = async (command: AdminCommand) =>
    await administer({ ...opened, now: () => new Date() }, command)
  const live = { merchant: 'Sevan Books', environment: 'live' } as const
  const made = await run({ command: 'keys create', ...live })
  const origin = 'https://books.example'
  await run({ command: 'origins add', origin, ...live })
  await run({ command: 'origins remove', origin, ...live })
  for (const command of ['keys list', 'merchants list', 'origins list'] as const) {
    await run({ command })
  }
  await run({ command: 'keys revoke', id: String(Reflect.get(made.data, 'id')) })
  await run({ command: 'intents revoke-secret', id })
  await opened.close()
}
