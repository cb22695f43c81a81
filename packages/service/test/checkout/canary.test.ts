import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import pino from 'pino'
import { expect, test } from 'vitest'
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import { readConfig } from '../../src/config.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { startService } from '../../src/start/start.ts'
import { cardOf, PageClient, type Pair, startCheckout } from '../support/checkout.ts'
import { create, order, retrieve } from '../support/service.ts'

const shop = 'http://shop.example.localhost:3000'
const listed = '4000000000003220'
const unlisted = '4111111111111111'
const cvc = '8193'

test('no card number, secret or token reaches a file, the log of writes included, or a log line', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pi-canary-'))
  const checkout = await startCheckout({ directory })
  await checkout.registerOrigin(shop)
  const pair = await checkout.createIntent()
  const payment = await payAndFail(checkout, pair)
  await checkout.close()

  const files = await filesIn(directory)
  expect(files.length).toBeGreaterThan(100)
  // The search is worth something only if it finds what is there.
  expect(files.some((file) => file.includes(pair.id))).toBe(true)
  const logged = checkout.logged.join('')
  expectNone([...files, logged, ...payment.answers], [pair.clientSecret, ...payment.secrets])
  expectNoCode([...files, logged, ...payment.answers])
  await rm(directory, { recursive: true })
})

test('no key, secret, card number or code reaches a dump, a file or the log of a PostgreSQL, or a debug line', async () => {
  const server = await startTemporaryPostgres({ fsync: 'off' })
  const secretKeys = newSecretKeys()
  const lines: string[] = []
  const running = await startService(
    readConfig({ port: '0' }, { PI_DATABASE_URL: server.url, PI_SECRET_KEYS: secretKeys }),
    pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
  )
  const { baseUrl: url, apiKey, adminToken } = running.ready
  const merchant = { url, apiKey: String(apiKey) }
  const wrongKey = `pi_sk_test_${'w'.repeat(36)}`
  const idempotencyKey = 'canary-of-an-idempotency-key'

  const made = await create(merchant, order, { 'idempotency-key': idempotencyKey })
  const pair = (await made.json()) as Pair
  await create(merchant, order, { 'idempotency-key': idempotencyKey })
  await create(merchant, { ...order, amount: 1 }, { 'idempotency-key': idempotencyKey })
  await create(merchant, `{"card":"${unlisted}`)
  await create({ url, apiKey: wrongKey })
  await retrieve(merchant, `${pair.id}?api_key=${apiKey}`)
  await retrieve(merchant, pair.clientSecret)
  const payment = await payAndFail({ url, nodeUrl: url }, pair, 'http://localhost:3000')

  const db = await openPostgres(server.url)
  // An error of the driver that quotes what was sent, as PostgreSQL does with rows: never on its disk.
  const quoted = [
    ...[pair.clientSecret, merchant.apiKey, wrongKey, `Bearer ${adminToken}`],
    ...[...payment.secrets, ...secretKeys.split(':').slice(1)],
  ]
  await db.script(`
    create function fail() returns trigger language plpgsql as $$
    begin raise exception using message = new.metadata, detail = new.metadata, errcode = 'XX000'; end $$;
    create trigger fail before insert on payment_intents for each row execute function fail()`)
  const metadata = Object.fromEntries(quoted.map((value, at) => [`value${at}`, value]))
  expect((await create(merchant, { ...order, metadata })).status).toBe(503)
  expect(lines.join('')).toMatch(/rejected a statement: XX000 \(\{.*value3/)
  await db.script('drop trigger fail on payment_intents; drop function fail')
  const [{ data = '' } = {}] = await db.query<{ data: string }>`
    select current_setting('data_directory') as data`
  await db.query`checkpoint`
  await db.close()
  const dump = await promisify(execFile)(join(server.binaries, 'pg_dump'), [server.url])
  expect(dump.stdout).toContain(pair.id)
  await running.stop()
  const files = await filesIn(data)
  const log = await filesIn(join(data, 'pg_wal'))
  expect(log.some((file) => file.includes(pair.id))).toBe(true)

  const places = [dump.stdout, ...files, lines.join(''), ...payment.answers]
  expectNone(places, [
    ...payment.secrets,
    ...[pair.clientSecret, merchant.apiKey, wrongKey, idempotencyKey, adminToken],
    ...secretKeys.split(':').slice(1),
  ])
  expectNoCode(places)
  await server.stop()
})

/** One payment with all that can go wrong on its way: what was answered, and what may be nowhere. */
async function payAndFail(
  checkout: { readonly url: string; readonly nodeUrl: string },
  pair: Pair,
  origin = shop,
): Promise<{ readonly answers: readonly string[]; readonly secrets: readonly string[] }> {
  const client = new PageClient(checkout)
  const { id, clientSecret } = pair
  await client.open({ id, clientSecret }, origin)
  const answers: string[] = []
  for (const number of [unlisted, '4000000000000002', listed]) {
    const { version } = await client.view()
    const paymentMethod = cardOf(number, cvc)
    const attemptId = `attempt-${number.slice(-4)}-of-the-canary`
    for (const body of [{ attemptId, version: 999, paymentMethod }, { paymentMethod }]) {
      answers.push(await (await client.post('confirm', body)).text())
    }
    const answer = await client.post('confirm', { attemptId, version, paymentMethod })
    answers.push(await answer.text())
  }
  const opened = await client.post('challenge/open', {})
  const ticket = (await opened.json()) as ChallengeTicket
  const form = new URLSearchParams({ token: ticket.token })
  const html = await (await fetch(ticket.url, { method: 'POST', body: form })).text()
  const token = /name="token" value="([\w-]{43})"/.exec(html)?.[1] ?? ''
  const answer = new URLSearchParams({ token, code: '1234', action: 'confirm' })
  await fetch(`${ticket.url}/answer`, { method: 'POST', body: answer })
  answers.push(JSON.stringify(await client.view()))
  expect(answers.at(-1)).toContain('"status":"succeeded"')
  return { answers, secrets: [listed, unlisted, client.token, ticket.token, token] }
}

function expectNone(places: readonly (string | Buffer)[], secrets: readonly string[]): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(12)
    const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '')
    const bytes = Buffer.from(secret, 'base64url')
    for (const form of [secret, encoded, bytes]) {
      expect(places.filter((place) => place.includes(form as string))).toHaveLength(0)
    }
  }
}

/** Many files contain four such digits at random, but never next to their name. */
function expectNoCode(places: readonly (string | Buffer)[]): void {
  for (const place of places) {
    expect(place.includes('"cvc"')).toBe(false)
    if (typeof place === 'string') expect(place).not.toMatch(new RegExp(`(?<![\\w.])${cvc}(?!\\w)`))
  }
}

async function filesIn(directory: string): Promise<Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}
