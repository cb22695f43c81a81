import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newSecretKeys, readSecretKeys } from '../src/secret-keys.ts'
import { startTestService } from './support/service.ts'

const [, random = ''] = newSecretKeys().split(':')
const sample = Buffer.alloc(32, 'sample').toString('base64url')
const form = 'must be an id of 1 to 8 characters a-z 0-9, a colon and 32 random bytes'

const refused: readonly [what: string, text: string, words: string][] = [
  ['a sample', `k1:${sample}`, 'entry 1 must be 32 random bytes, not a sample'],
  ['zeros', `k1:${'A'.repeat(43)}`, 'entry 1 must be 32 random bytes, not a sample'],
  ['a short one', `k1:${random.slice(1)}`, `entry 1 ${form}`],
  ['a passphrase', 'k1:correct horse battery staple', `entry 1 ${form}`],
  ['one without an id', random, `entry 1 ${form}`],
  ['a long id', `production:${random}`, `entry 1 ${form}`],
  ['a bad one behind a good one', `k2:${random},k1:${sample}`, 'entry 2 must be 32 random bytes'],
  ['an id twice', `k1:${random},k1:${random}`, 'entry 2 uses an id twice'],
]

for (const [what, text, words] of refused) {
  test(`PI_SECRET_KEYS is refused with the rule, and not shown: ${what}`, () => {
    const read = () => readSecretKeys(text)
    expect(read).toThrow(TypeError)
    expect(read).toThrow(`PI_SECRET_KEYS: ${words}`)
    for (const part of text.split(/[:, ]/).filter(({ length }) => length > 10)) {
      expect(read).not.toThrow(part)
    }
  })
}

test('a start with a sample for a key is refused before anything is made', async () => {
  const data = join(tmpdir(), `pi-never-made-${random}`)
  const start = startTestService({ PI_SECRET_KEYS: `k1:${sample}`, PI_DATA_DIR: data })
  await expect(start).rejects.toThrow(
    'PI_SECRET_KEYS: entry 1 must be 32 random bytes, not a sample',
  )
  expect(existsSync(data)).toBe(false)
})
