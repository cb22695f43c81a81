import { expect, test } from 'vitest'
import { clientSecret, opens } from '../../src/intents/client-secret.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'

const keys = readSecretKeys(newSecretKeys())
const at = new Date('2026-11-20T12:00:00.000Z')
const intent = {
  id: 'pi_1',
  environmentId: 'env_1',
  secretKid: 'k1',
  secretSalt: Buffer.alloc(16, 1),
  finalizedAt: null,
}
const secretOf = (): string => clientSecret(keys, intent)

test('derives the same secret in every instance and version', () => {
  const fixed = readSecretKeys(`k1:${Buffer.alloc(32, 'a fixed secret key').toString('base64url')}`)
  expect(clientSecret(fixed, intent)).toBe(
    'pi_1_secret_2XIdmt1UUcrA2hjIMJ0OI1uW3YkGu6073EYs2nbzLp3gVL76',
  )
})

test.each([
  ['intent', { id: 'pi_2' }],
  ['environment', { environmentId: 'env_2' }],
  ['salt', { secretSalt: Buffer.alloc(16, 2) }],
] as const)('derives a secret for another %s that does not open this intent', (_, change) => {
  const other = clientSecret(keys, { ...intent, ...change })
  expect(other.slice(-48)).not.toBe(secretOf().slice(-48))
  expect(opens(keys, intent, { candidate: other, at })).toBe(false)
})

test('opens an intent with its own secret only', () => {
  const secret = secretOf()
  expect(opens(keys, intent, { candidate: secret, at })).toBe(true)
  for (const candidate of ['', 'undefined', secret.slice(0, -1), `${secret}0`, intent.id]) {
    expect(opens(keys, intent, { candidate, at })).toBe(false)
  }
})

test('opens a final intent for ten minutes', () => {
  const final = { ...intent, finalizedAt: new Date(at.getTime() - 10 * 60_000) }
  const before = new Date(at.getTime() - 1)
  expect(opens(keys, final, { candidate: secretOf(), at: before })).toBe(true)
  expect(opens(keys, final, { candidate: secretOf(), at })).toBe(false)
})

test('opens no intent whose secret was revoked', () => {
  const revoked = { ...intent, secretSalt: null }
  expect(opens(keys, revoked, { candidate: secretOf(), at })).toBe(false)
  expect(opens(keys, revoked, { candidate: clientSecret(keys, revoked), at })).toBe(false)
})

test('opens no intent whose key was removed, and derives no secret for it', () => {
  const old = { ...intent, secretKid: 'k0' }
  for (const candidate of ['', secretOf()]) expect(opens(keys, old, { candidate, at })).toBe(false)
  expect(() => clientSecret(keys, old)).toThrow(
    /^PI_SECRET_KEYS lacks the key of an intent in this store$/,
  )
})
