import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const demo = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, demo), 'utf8')

test('the first lines of the README name the files with the integration', () => {
  const sources = ['server/', 'server/views/'].flatMap((folder) =>
    readdirSync(new URL(folder, demo)).map((name) => folder + name),
  )
  const calls = /\bcreateCheckout<|<pi-checkout data/
  const users = sources.filter((path) => path.endsWith('.ts') && calls.test(read(path)))
  const named = [
    ...read('README.md')
      .slice(0, 1000)
      .matchAll(/^\| \[`([^`]+)`/gm),
  ]
  expect(named.map(([, path]) => path)).toEqual(users)
})

test('the README lists each setting that the shop reads', () => {
  const names = read('server/config.ts').match(/\b(?:PI|SHOP|NODE)_[A-Z_]+|\bPORT\b/g) ?? []
  const [, settings = ''] = read('README.md').split('## Settings')
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter((name) => !settings.includes(name))).toEqual([])
})
