import { setTimeout as sleep } from 'node:timers/promises'
import { startTemporaryPostgres, type TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import {
  addMerchants,
  PageClient,
  type Pair,
  type RunningCheckout,
  startCheckout,
} from '../support/checkout.ts'

const shop = 'http://shop.example.localhost:3000'
let server: TemporaryPostgres
let db: Database
let instances: RunningCheckout[]

beforeAll(async () => {
  server = await startTemporaryPostgres({ fsync: 'off' })
  db = await openPostgres(server.url)
  await migrate(db)
  await addMerchants(db)
  const keys = readSecretKeys(newSecretKeys())
  const publicUrl = 'http://pay.localhost:4000'
  const stores = [db, await openPostgres(server.url)]
  instances = await Promise.all(
    stores.map((store) => startCheckout({ db: store, keys, publicUrl })),
  )
  await instances[0]?.registerOrigin(shop)
}, 120_000)

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()))
  await server.stop()
})

/** One buyer's page at each instance, for the same intent. */
async function pagesOf(pair: Pair): Promise<PageClient[]> {
  return await Promise.all(
    instances.map(async (instance) => {
      const client = new PageClient(instance)
      await client.open(pair, shop)
      return client
    }),
  )
}

async function newPair(): Promise<Pair> {
  const [first] = instances
  if (!first) throw new Error('there is no instance')
  return await first.createIntent()
}

test('a session that one instance opens is good at every other', async () => {
  const pair = await newPair()
  const [one, two] = await pagesOf(pair)
  if (one && two) two.token = one.token
  expect((await two?.view())?.id).toBe(pair.id)
})

test('forty attempts at two instances make one charge', async () => {
  for (let round = 0; round < 5; round++) {
    const pair = await newPair()
    const pages = await pagesOf(pair)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => pages[at % 2]?.pay('4242424242424242', { version: 1 })),
    )
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer?.status === 409)).toHaveLength(39)
    const charges = await db.query`
      select from payment_attempts where intent_id = ${pair.id} and state = 'succeeded'`
    expect(charges).toHaveLength(1)
  }
})

test('one attempt sent to two instances at once makes one charge and equal answers', async () => {
  const pages = await pagesOf(await newPair())
  const attempt = { attemptId: 'attempt-0000000001', version: 1 }
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) =>
      (await pages[at % 2]?.pay('4242424242424242', attempt))?.text(),
    ),
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('"succeeded"')
})

test('an answer at the bank and a change of mind at the checkout leave one end', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, two] = await pagesOf(await newPair())
    await one?.pay('4000000000003220')
    const opened = await one?.post('challenge/open', {})
    const ticket = (await opened?.json()) as ChallengeTicket
    const form = new URLSearchParams({ token: ticket.token })
    const html = await (await fetch(ticket.url, { method: 'POST', body: form })).text()
    const token = /name="token" value="([\w-]{43})"/.exec(html)?.[1] ?? ''
    const body = new URLSearchParams({ token, code: '1234', action: 'confirm' })
    await Promise.all([
      fetch(`${ticket.url}/answer`, { method: 'POST', body }),
      two?.post('challenge/cancel', {}),
      two?.post('cancel', {}),
    ])
    const views = await Promise.all([one?.view(), two?.view()])
    expect(views[0]).toEqual(views[1])
    expect(views[0]?.status).toMatch(/^(succeeded|canceled)$/)
  }
})

test('a buyer who waits at one instance sees within 100 ms what another changed', async () => {
  const delays: number[] = []
  for (let round = 0; round < 9; round++) {
    const [one, two] = await pagesOf(await newPair())
    const waiting = two?.view('?waitForVersion=2')
    await sleep(150)
    await one?.post('cancel', {})
    const changedAt = performance.now()
    expect(await waiting).toMatchObject({ status: 'canceled', version: 2 })
    delays.push(performance.now() - changedAt)
  }
  // The median: another program may take the processor in one round.
  expect(delays.sort((one, other) => one - other)[4]).toBeLessThan(100)
})

test('a buyer who waits sees a change after every connection of both instances was cut', async () => {
  const [one, two] = await pagesOf(await newPair())
  const waiting = two?.view('?waitForVersion=2')
  await sleep(150)
  await db.query`
    select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`
  await expect.poll(async () => (await one?.post('cancel', {}))?.status).toBe(200)
  expect(await waiting).toMatchObject({ status: 'canceled', version: 2 })
})
