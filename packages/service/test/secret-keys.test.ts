import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newSecretKeys, readSecretKeys } from '../src/secret-keys.ts'
import { startTestService } from './support/service.ts'

const [, random = ''] = newSecretKeys().split(':')
const sample = Buffer.alloc(32, 'sample').toString('base64url')
const form = 'must be an id of 1 to 8 characters a-z 0-9, a colon, and 32 random bytes'

const rejected: readonly [what: string, text: string, words: string][] = [
  ['a sample key', `k1:${sample}`, 'entry 1 is not random'],
  ['zeros', `k1:${'A'.repeat(43)}`, 'entry 1 is not random'],
  ['a short key', `k1:${random.slice(1)}`, `entry 1 ${form}`],
  ['a passphrase', 'k1:correct horse battery staple', `entry 1 ${form}`],
  ['a key without an id', random, `entry 1 ${form}`],
  ['a long id', `production:${random}`, `entry 1 ${form}`],
  ['a second key that is not random', `k2:${random},k1:${sample}`, 'entry 2 is not random'],
  ['a repeated id', `k1:${random},k1:${random}`, 'entry 2 repeats an id'],
]

for (const [what, text, words] of rejected) {
  test(`rejects ${what} with the rule and without the value`, () => {
    const read = () => readSecretKeys(text)
    expect(read).toThrow(TypeError)
    expect(read).toThrow(`PI_SECRET_KEYS: ${words}`)
    for (const part of text.split(/[:, ]/).filter(({ length }) => length > 10)) {
      expect(read).not.toThrow(part)
    }
  })
}

test('rejects a start with a sample key before it creates anything', async () => {
  const data = join(tmpdir(), `pi-never-made-${random}`)
  const start = startTestService({ PI_SECRET_KEYS: `k1:${sample}`, PI_DATA_DIR: data })
  await expect(start).rejects.toThrow('PI_SECRET_KEYS: entry 1 is not random')
  expect(existsSync(data)).toBe(false)
})
