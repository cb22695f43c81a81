import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { order, startTestService } from '../support/service.ts'

const server = await startPostgres()
const service = await startTestService(server.env)
const db = await openPostgres(server.url)
atEnd(() => db.close())

afterEach(async () => {
  await db.script('drop trigger if exists fail on intents')
  service.logged.length = 0
})

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

test.each([
  ['XX000', 503, 'pi_sk_test_…'],
  ['23514', 500, '23514 no_such_intent'],
])('logs a failed statement with %s, and none of the quoted values', async (code, status, text) => {
  await failWith(code)
  const customer = { id: 'cus_1', email: 'ani@example.com' }
  const response = await service.create({ ...order, customer })
  expect(response.status).toBe(status)
  const error = {
    name: 'StoreError',
    code,
    // Masked where it may appear, so the search can find something.
    message: expect.stringContaining(text),
    constraint: 'no_such_intent',
    statement: 'insert_intent',
    stack: expect.arrayContaining([expect.stringContaining('store/postgres.ts')]),
  }
  const line = { requestId: response.headers.get('request-id'), error }
  expect(service.logged.map((each) => JSON.parse(each))).toMatchObject([line])
  const shown = `${service.logged[0]} ${await response.text()}`.toLowerCase()
  const parts = ['a1b2a1b2', 'c3d4c3d4', 's3cs3c', 'tok3ntok3n', '0000 0000', 'hunter2', 'ani@']
  for (const part of parts) expect(shown).not.toContain(part)
})
