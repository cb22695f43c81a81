import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type CspOptions, cspFor } from '../../src/index.ts'

const checkoutOrigin = 'https://pay.example'

test('returns the policy of the security guide', () => {
  const guide = fileURLToPath(new URL('../../../../.github/SECURITY.md', import.meta.url))
  const [, policy] = /^Content-Security-Policy: (.*)$/m.exec(readFileSync(guide, 'utf8')) ?? []
  const policyText = cspFor({ checkoutOrigin, reportTo: 'csp' })
  expect(policyText.replace('https://pay.example', 'CHECKOUT')).toBe(policy)
})

test.each<[string, CspOptions['trustedTypes']]>([
  ['trusted-types lit-html', undefined],
  ['trusted-types lit-html vue', ['vue']],
  // The element contains its own copy of Lit.
  ["trusted-types lit-html vue 'allow-duplicates'", ['vue', 'lit-html']],
])('ends with %s without reports', (end, trustedTypes) => {
  expect(cspFor({ checkoutOrigin, trustedTypes }).split('; ').at(-1)).toBe(end)
})

test('adds the nonce and the sources of a framework, and leaves out Trusted Types', () => {
  const scriptSrc = ['https://a.example', 'http://localhost:5173']
  const policy = cspFor({ checkoutOrigin, nonce: 'bm9uY2U=', scriptSrc, trustedTypes: false })
  expect(policy).toContain(
    "; script-src 'self' 'nonce-bm9uY2U=' https://a.example http://localhost:5173; style-src 'self' 'nonce-bm9uY2U=';",
  )
  expect(policy).not.toContain('trusted-types')
})

const injections = ['', "x'", 'x; script-src *', 'a b', 'a,b', 'x\n']
test.each(
  [...injections, "'none'", '*'].flatMap((value): [string, CspOptions][] => [
    ['checkoutOrigin', { checkoutOrigin: value }],
    ['scriptSrc', { checkoutOrigin, scriptSrc: ['https://a.example', value] }],
    ['reportTo', { checkoutOrigin, reportTo: value }],
    ['nonce', { checkoutOrigin, nonce: value }],
    ['trustedTypes', { checkoutOrigin, trustedTypes: ['vue', value] }],
  ]),
)('rejects another directive in %s: %j', (name, options) => {
  expect(() => cspFor(options)).toThrow(new RegExp(`^${name}: must be `))
})
