import type { IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administer } from '../../src/cli/admin-commands.ts'
import { readConfig } from '../../src/config.ts'
import { base62Digits, randomBase62 } from '../../src/ids.ts'
import { type Authenticator, createAuthenticator } from '../../src/merchants/authenticate.ts'
import { openStore, type Store } from '../../src/start/open-store.ts'

let store: Store
let auth: Authenticator
let time = new Date('2026-11-21T12:00:00Z')
let asked = 0
let afterReading = async (): Promise<void> => {}

beforeAll(async () => {
  store = await openStore(readConfig({ memory: true }, {}))
  const query: typeof store.db.query = async <Row>(
    ...statement: Parameters<typeof store.db.query>
  ): Promise<Row[]> => {
    asked++
    const rows = await store.db.query<Row>(...statement)
    await afterReading()
    return rows
  }
  auth = createAuthenticator({ db: { ...store.db, query }, keys: store.keys, now: () => time })
})

afterAll(async () => await store.close())

function request(apiKey: string): IncomingMessage {
  return { headers: { authorization: `Bearer ${apiKey}` }, socket: {} } as IncomingMessage
}

test('a key with an end works until then and not after, looked up before or not', async () => {
  const made = await administer(
    { ...store, now: () => time },
    {
      ...{ command: 'keys create', merchant: 'Shop', environment: 'test' },
      expiresAt: '2026-11-21T12:00:02.000Z',
    },
  )
  const sent = request('apiKey' in made ? made.apiKey : '')
  expect(await auth.authenticate(sent)).toMatchObject({ merchantName: 'Shop', mode: 'test' })
  time = new Date('2026-11-21T12:00:01.999Z')
  await auth.authenticate(sent)
  time = new Date('2026-11-21T12:00:02Z')
  await expect(auth.authenticate(sent)).rejects.toMatchObject({ code: 'revoked_credentials' })
  auth.clearCache()
  await expect(auth.authenticate(sent)).rejects.toMatchObject({ code: 'revoked_credentials' })
})

test('a mistyped key is refused by its checksum, and the store is not asked', async () => {
  const wrong = ['x', 'pi_sk_test_', `pi_sk_test_${'0'.repeat(36)}`, `pi_sk_live_${'Z'.repeat(36)}`]
  asked = 0
  for (const apiKey of wrong) {
    await expect(auth.authenticate(request(apiKey))).rejects.toMatchObject({
      code: 'invalid_credentials',
    })
  }
  expect(asked).toBe(0)
})

test('looks many unknown keys up in few statements, and a valid one between them', async () => {
  const shop = { merchant: 'Shop', environment: 'live' } as const
  const made = await administer({ ...store, now: () => time }, { command: 'keys create', ...shop })
  if (!('apiKey' in made)) throw new Error('no key was made')
  const unknown = Array.from({ length: 200 }, () => {
    const body = randomBase62(30)
    return `pi_sk_live_${body}${base62Digits(crc32(body), 6)}`
  })
  asked = 0
  const sent = [...unknown.slice(0, 100), made.apiKey, ...unknown.slice(100)]
  const answers = await Promise.allSettled(
    sent.map(async (apiKey) => await auth.authenticate(request(apiKey))),
  )
  expect(asked).toBeLessThan(10)
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(answers[100]).toMatchObject({ value: { merchantName: 'Shop', mode: 'live' } })
})

test('a key that is revoked while it is looked up works for no request after that', async () => {
  const context = { ...store, now: () => time }
  const shop = { merchant: 'Shop', environment: 'test' } as const
  const made = await administer(context, { command: 'keys create', ...shop })
  if (!('apiKey' in made)) throw new Error('no key was made')
  const sent = request(made.apiKey)
  afterReading = async () => {
    afterReading = async () => {}
    await administer(context, { command: 'keys revoke', id: made.id })
    auth.clearCache()
  }
  await auth.authenticate(sent)
  for (const later of [sent, request(made.apiKey)]) {
    await expect(auth.authenticate(later)).rejects.toMatchObject({ code: 'revoked_credentials' })
  }
})
