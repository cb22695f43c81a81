import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { shellQuote } from '../shared/shell-quote.ts'
import { readConfig, storeOptions } from '../src/config.ts'

test('the options of a store lead to it from whichever folder they are pasted in', () => {
  const options = (flags: object, env = {}) => storeOptions(readConfig(flags, env).store)
  expect(options({})).toBe(` --data '${resolve('.data/service')}'`)
  expect(options({}, { PI_DATA_DIR: 'x' })).toBe(` --data '${resolve('x')}'`)
  expect(options({ data: "/srv/ani's" })).toBe(` --data '/srv/ani'\\''s'`)
  expect(options({ databaseUrl: 'postgres://me:hush@db/x' })).toBe(
    ' --database-url "$PI_DATABASE_URL"',
  )
  expect(options({ memory: true })).toBeUndefined()
})

test('a shell reads a quoted word as it was', () => {
  const text = `Ani's "$HOME" \`id\` \\ * ; tea`
  expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(
    text,
  )
})

for (const [name, text] of [
  ['PI_PUBLIC_URL', 'http://pay.example.com'],
  ['PI_PUBLIC_URL', 'https://pay.example.com/'],
  ['PI_PUBLIC_URL', 'https://*.example.com'],
  ['PI_CHALLENGE_URL', 'http://bank.example.net'],
] as const) {
  test(`a start under ${name}=${text} is refused with the rule`, () => {
    expect(() => readConfig({}, { [name]: text })).toThrow(
      `${name}: must be an origin such as https://pay.example.com, without a path or trailing slash. http is accepted for loopback only.`,
    )
  })
}
