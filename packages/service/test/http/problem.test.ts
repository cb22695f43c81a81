import { startTemporaryPostgres, type TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import type { LoggedError } from '../../src/log.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { type RunningService, startService } from '../../src/start/start.ts'
import { create, order, retrieve, type TestService } from '../support/service.ts'

let server: TemporaryPostgres
let db: Database
let running: RunningService
let service: TestService
const lines: string[] = []

beforeAll(async () => {
  server = await startTemporaryPostgres({ fsync: 'off' })
  running = await startService(
    readConfig({ port: '0' }, { PI_DATABASE_URL: server.url, PI_SECRET_KEYS: newSecretKeys() }),
    pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  )
  service = { ...running, url: running.ready.baseUrl, apiKey: String(running.ready.apiKey) }
  db = await openPostgres(server.url)
}, 60_000)

afterAll(async () => {
  await db.close()
  await running.stop()
  await server.stop()
})

beforeEach(() => {
  lines.length = 0
})

interface Line {
  readonly level: number
  readonly msg: string
  readonly requestId: string
  readonly error: LoggedError
}

/** Returns the one line that a response left. */
async function lineOf(response: Response): Promise<Line> {
  expect(lines).toHaveLength(1)
  const line = JSON.parse(lines[0] ?? '') as Line
  expect(line.requestId).toBe(response.headers.get('request-id'))
  return line
}

const secrets = {
  apiKey: `pi_sk_test_${'a1B2'.repeat(9)}`,
  encodedKey: `%70i_SK_live_${'c3D4'.repeat(9)}`,
  clientSecret: `pi_${'e'.repeat(24)}_secret_${'S3c'.repeat(14)}`,
  bearer: `Bearer ${'tOk3n'.repeat(8)}`,
  card: '4000 0000 0000 3220',
  address: 'postgres://shop:hunter2@db.internal/shop',
}

/** Lets the store fail with a text of the driver; `XX000` is shown, `P0001` and `23514` quote values. */
async function failWith(code: string): Promise<void> {
  const text = Object.values(secrets).join(' and ')
  await db.script(`
    create or replace function fail() returns trigger language plpgsql as $$
    begin raise exception using message = '${text}', detail = '${text}', hint = '${text}',
                                errcode = '${code}', constraint = 'no_such_intent';
    end $$;
    create or replace trigger fail before insert on payment_intents
      for each row execute function fail()`)
}

test('a statement that fails leaves one line with code, constraint, statement and stack', async () => {
  await failWith('23514')
  const customer = { id: 'cus_1', email: 'ani@example.com' }
  const response = await create(service, { ...order, customer })
  expect(response.status).toBe(500)
  const line = await lineOf(response)
  expect(line).toMatchObject({
    level: 50,
    msg: 'internal_error',
    error: {
      name: 'StoreError',
      code: '23514',
      constraint: 'no_such_intent',
      message: 'The store rejected a statement: 23514 no_such_intent',
      statement: expect.stringMatching(/^s[0-9a-f]{12}$/),
    },
  })
  expect(line.error.stack?.join('\n')).toContain('create-batch.ts')
  expect(lines[0]).not.toContain('ani@example.com')
})

for (const code of ['XX000', '53100', 'P0001', '23514']) {
  test(`no secret of a driver's error is in a line or a response: ${code}`, async () => {
    await failWith(code)
    const response = await create(service)
    expect(response.status).toBeGreaterThanOrEqual(500)
    const line = await lineOf(response)
    expect(line.error.code).toBe(code)
    // The text is there where it may be, so the search is worth something.
    if (code === 'XX000') expect(line.error.message).toContain('pi_sk_test_…')
    const shown = `${lines[0]} ${await response.text()}`.toLowerCase()
    const parts = ['a1b2a1b2', 'c3d4c3d4', 's3cs3c', 'tok3ntok3n', '0000 0000', 'hunter2']
    for (const part of parts) expect(shown).not.toContain(part)
  })
}

test('an error of the service itself leaves one line with message and stack', async () => {
  await db.script('drop trigger if exists fail on payment_intents')
  const { id } = (await (await create(service)).json()) as { id: string }
  await db.query`update payment_intents set order_id = ${'A\x1f1'} where id = ${id}`
  const response = await retrieve(service, id)
  expect(response.status).toBe(500)
  expect(await lineOf(response)).toMatchObject({
    msg: 'internal_error',
    error: {
      name: 'Error',
      message: 'The store contains an intent with a separator in it',
      stack: expect.arrayContaining([expect.stringContaining('intent-row.ts')]),
    },
  })
})

test('a fault that a merchant asked for leaves one line too', async () => {
  await db.script('drop trigger if exists fail on payment_intents')
  const response = await create(service, order, { 'sandbox-fault': '503' })
  expect(await lineOf(response)).toMatchObject({
    msg: 'store_unavailable',
    error: { name: 'ProblemError', code: 'store_unavailable' },
  })
})

test('a rejected handoff leaves one line with the rule that it broke', async () => {
  await db.script('drop trigger if exists fail on payment_intents')
  const made = (await (await create(service)).json()) as { id: string; clientSecret: string }
  const open = async (pair: object, origin = 'http://localhost:3000'): Promise<Line> => {
    lines.length = 0
    const response = await fetch(`${service.url}/checkout-api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ ...pair, origin }),
    })
    expect(response.ok).toBe(false)
    const line = await lineOf(response)
    expect(line).toMatchObject({ level: 40, msg: 'Rejected a checkout session' })
    expect(lines[0]).not.toContain(clientSecret.slice(-48))
    return line
  }
  const { id, clientSecret } = made
  const wrong = `${clientSecret.slice(0, -4)}0000`
  const unknown = 'pi_000000000000000000000000'
  expect((await open({ id, clientSecret: wrong })).error).toMatchObject({
    code: 'payment_intent_not_found',
    rule: 'wrong_or_old_secret',
  })
  expect((await open({ id: unknown, clientSecret })).error.rule).toBe('unknown_intent')
  expect((await open({ id, clientSecret }, 'https://other.example')).error).toMatchObject({
    code: 'origin_not_allowed',
    rule: 'unregistered_origin',
  })
  await db.query`update payment_intents set secret_salt = null where id = ${id}`
  expect((await open({ id, clientSecret })).error.rule).toBe('revoked_secret')
})
