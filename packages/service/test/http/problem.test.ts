import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, test } from 'vitest'
import type { LoggedError } from '../../src/log.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { create, order, startTestService } from '../support/service.ts'

const server = await startPostgres()
const service = await startTestService(server.env)
const db = await openPostgres(server.url)
atEnd(() => db.close())

afterEach(async () => {
  await db.script('drop trigger if exists fail on intents')
  service.logged.length = 0
})

interface Line {
  readonly level: number
  readonly msg: string
  readonly requestId: string
  readonly error: LoggedError
}

/** Returns the one line that a response left. */
async function lineOf(response: Response): Promise<Line> {
  expect(service.logged).toHaveLength(1)
  const line = JSON.parse(service.logged[0] ?? '') as Line
  expect(line.requestId).toBe(response.headers.get('request-id'))
  return line
}

const secrets = {
  apiKey: sampleKey('a1B2'),
  encodedKey: sampleKey('c3D4', { mode: 'live' }).replace('pi_sk', '%70i_SK'),
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
    create or replace trigger fail before insert on intents
      for each row execute function fail()`)
}

test('logs code, constraint, statement, and stack of a failed statement', async () => {
  await failWith('23514')
  const customer = { id: 'cus_1', email: 'ani@example.com' }
  const response = await create(service, { ...order, customer })
  expect(response.status).toBe(500)
  expect(await lineOf(response)).toMatchObject({
    level: 50,
    msg: 'internal_error',
    error: {
      name: 'StoreError',
      code: '23514',
      constraint: 'no_such_intent',
      message: 'The store rejected a statement: 23514 no_such_intent',
      statement: 'insert_intent',
      stack: expect.arrayContaining([expect.stringContaining('store/postgres.ts')]),
    },
  })
  expect(service.logged.join()).not.toContain('ani@example.com')
})

test.each(['XX000', '23514'])('masks secrets that the driver quotes with %s', async (code) => {
  await failWith(code)
  const response = await create(service)
  expect(response.status).toBeGreaterThanOrEqual(500)
  const { error } = await lineOf(response)
  expect(error.code).toBe(code)
  // The text appears where it may, so the search can find something.
  if (code === 'XX000') expect(error.message).toContain('pi_sk_test_…')
  const shown = `${service.logged[0]} ${await response.text()}`.toLowerCase()
  const parts = ['a1b2a1b2', 'c3d4c3d4', 's3cs3c', 'tok3ntok3n', '0000 0000', 'hunter2']
  for (const part of parts) expect(shown).not.toContain(part)
})
