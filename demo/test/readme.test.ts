import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const demo = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${demo}README.md`, 'utf8')
const sources = ['server', 'server/views'].flatMap((folder) =>
  readdirSync(demo + folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)

test('the integration is in the files that the README names', () => {
  const calls = /\bcreateCheckout<|<pi-checkout data/
  const users = sources.filter((path) => calls.test(readFileSync(demo + path, 'utf8')))
  const [, section = ''] = readme.split('## The integration')
  const named = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)]
  expect(named.map(([, path]) => path)).toEqual(users)
})

test('the README lists each setting that the shop reads', () => {
  const config = readFileSync(`${demo}server/config.ts`, 'utf8')
  const [, settings = ''] = readme.split('## Settings')
  const read = [...config.matchAll(/\b(?:env\.|const \{ |, )((?:PI|SHOP|NODE)_[A-Z_]+|PORT)\b/g)]
  const names = [...new Set(read.map(([, name]) => name))]
  expect(names.length).toBeGreaterThan(4)
  expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([])
})
