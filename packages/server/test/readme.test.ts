import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as server from '../src/index.ts'

const readme = read('README.md')

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** Names of the properties that an interface of a source file declares. */
function properties(path: string, name: string): string[] {
  const [, body = ''] =
    new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(read(path)) ?? []
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, property = '']) => property)
}

test('the README names every option and every export', () => {
  const options = {
    'src/client/payment-intents.ts': [
      'PaymentIntentsOptions',
      'CallOptions',
      'CreateOptions',
      'CreatedIntent',
    ],
    'src/client/options.ts': ['ClientOptions'],
    'src/checkout/options.ts': ['CheckoutOptions'],
    'src/checkout/csp.ts': ['CspOptions'],
  }
  for (const [path, names] of Object.entries(options)) {
    const declared = names.flatMap((name) => properties(path, name))
    expect(declared.length).toBeGreaterThan(0)
    const unnamed = declared.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))
    expect([path, unnamed]).toEqual([path, []])
  }
  const exported = Object.keys(server).filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))
  expect(exported).toEqual([])
})
