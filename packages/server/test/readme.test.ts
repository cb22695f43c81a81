import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as server from '../src/index.ts'

const readme = read('README.md')

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

test('the README names every option and every export', () => {
  const sources = ['client/payment-intents', 'client/options', 'checkout/options', 'checkout/csp']
  const interfaces = sources.flatMap((name) => [
    ...read(`src/${name}.ts`).matchAll(
      /^export interface \w+(?:Options|Intent)\b.*\{\n([\s\S]*?)^\}/gm,
    ),
  ])
  const options = interfaces.flatMap(([, body = '']) =>
    [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name),
  )
  expect(options).toEqual(expect.arrayContaining(['apiKey', 'agent', 'onPaid', 'reportTo']))
  const names = [...options, ...Object.keys(server)]
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([])
})
