import { expect, test } from 'vitest'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { readSecretKeys } from '../../src/secret-keys.ts'

const root = Buffer.alloc(32, 'a fixed secret key').toString('base64url')
const intent = {
  id: 'pi_1',
  environmentId: 'env_1',
  secretKid: 'k1',
  secretSalt: Buffer.alloc(16, 1),
}

test('derives the same secret in every instance and version, and another with another salt', () => {
  const keys = readSecretKeys(`k1:${root}`)
  expect(clientSecret(keys, intent)).toBe(
    'pi_1_secret_2XIdmt1UUcrA2hjIMJ0OI1uW3YkGu6073EYs2nbzLp3gVL76',
  )
  const secretSalt = Buffer.alloc(16, 2)
  expect(clientSecret(keys, { ...intent, secretSalt })).not.toBe(clientSecret(keys, intent))
})
