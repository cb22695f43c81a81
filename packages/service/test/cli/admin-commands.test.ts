import { expect, test } from 'vitest'
import { type AdminCommand, administer } from '../../src/cli/admin-commands.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
const keys = readSecretKeys(newSecretKeys())
const run = async (command: AdminCommand) =>
  await administer({ db, keys, now: () => new Date() }, command)
const merchant = 'Sevan Books'
const named = { merchant, environment: 'live' } as const

test('shows keys with their expiry or revocation', async () => {
  const expiresAt = '2099-01-31T00:00:00.000Z'
  const { data } = await run({ command: 'keys create', ...named, expiresAt })
  const id = String(Reflect.get(data, 'id'))
  const line = new RegExp(
    `^${id}  pi_sk_live_….{4}  Sevan Books \\(live\\)  until ${expiresAt}$`,
    'm',
  )
  expect((await run({ command: 'keys list' })).text).toMatch(line)
  await run({ command: 'keys revoke', id })
  const { text } = await run({ command: 'keys list' })
  expect(text).toMatch(new RegExp(`^${id} .* \\(live\\)  revoked$`, 'm'))
})

test('shows the origins of an environment, or that it has none left', async () => {
  await run({ command: 'keys create', ...named })
  const none = 'no origin, so no page can show its checkout'
  expect((await run({ command: 'merchants list' })).text).toContain(
    `Sevan Books (live)  1 valid key  ${none}`,
  )
  const origin = 'https://books.example'
  const { text } = await run({ command: 'origins add', origin, ...named })
  expect(text).toBe(`Sevan Books (live): ${origin}`)
  expect((await run({ command: 'origins list' })).text).toContain(`${origin}  Sevan Books (live)`)
  const removed = await run({ command: 'origins remove', origin, ...named })
  expect(removed.text).toBe(`Sevan Books (live): ${none}`)
})
