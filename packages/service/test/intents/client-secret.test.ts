import { expect, test } from 'vitest'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { readSecretKey } from '../../src/secret-keys.ts'

const keys = readSecretKey(Buffer.alloc(32, 'a fixed secret key').toString('base64url'))
const intent = { id: 'pi_1', environmentId: 'env_1' }

test('derives the same secret in every instance and version, and another for another environment', () => {
  const secret = clientSecret(keys, intent)
  expect(secret).toBe(
    'pi_1_secret_72b4bd63caf73b54c41185c61bfa060eee3af5aa791a38c8edfa538456e52039',
  )
  expect(clientSecret(keys, { ...intent, environmentId: 'env_2' })).not.toBe(secret)
})
