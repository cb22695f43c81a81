import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientSecret } from '../src/intents/client-secret.ts'
import { newSecretKey, readSecretKey } from '../src/secret-keys.ts'
import { temporaryFolder } from './support/lifetime.ts'
import { startTestService } from './support/service.ts'

const random = newSecretKey()
const sample = Buffer.alloc(32, 'sample').toString('base64url')
const form = 'must be 32 random bytes as 43 characters of base64url'

test.each([
  ['a sample', sample, 'is not random'],
  ['zeros', 'A'.repeat(43), 'is not random'],
  ['a short key', random.slice(1), form],
  ['a passphrase', 'correct horse battery staple', form],
  ['a key with an id', `k1:${random}`, form],
] as const)('rejects %s with the rule, without the value', (_, text, rule) => {
  const read = () => readSecretKey(text)
  expect(read).toThrow(TypeError)
  expect(read).toThrow(`PI_SECRET_KEY: ${rule}`)
  for (const part of text.split(/[: ]/).filter(({ length }) => length > 10)) {
    expect(read).not.toThrow(part)
  }
})

test('rejects a start with a sample before it creates anything', async () => {
  const data = join(temporaryFolder(), 'data')
  const start = startTestService({ PI_SECRET_KEY: sample, PI_DATA_DIR: data })
  await expect(start).rejects.toThrow('PI_SECRET_KEY: is not random')
  expect(existsSync(data)).toBe(false)
})

test('derives the same clientSecret in every instance and version, and another for another environment', () => {
  const keys = readSecretKey(Buffer.alloc(32, 'a fixed secret key').toString('base64url'))
  const secretOf = (environmentId: string) => clientSecret(keys, { id: 'pi_1', environmentId })
  const secret = 'pi_1_secret_72b4bd63caf73b54c41185c61bfa060eee3af5aa791a38c8edfa538456e52039'
  expect(secretOf('env_1')).toBe(secret)
  expect(secretOf('env_2')).not.toBe(secret)
})
