import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type CspOptions, cspFor } from '../../src/index.ts'

const checkoutOrigin = 'https://pay.example'

test('returns the policy of the security guide (threat 51)', () => {
  const guide = fileURLToPath(new URL('../../../../.github/SECURITY.md', import.meta.url))
  const [, policy] = /^Content-Security-Policy: (.*)$/m.exec(readFileSync(guide, 'utf8')) ?? []
  const policyText = cspFor({ checkoutOrigin, reportTo: 'csp' })
  expect(policyText.replace('https://pay.example', 'CHECKOUT')).toBe(policy)
})

test('has no report-to without an endpoint', () => {
  expect(cspFor({ checkoutOrigin: 'http://127.0.0.1:4000' })).toMatch(
    /frame-src http:\/\/127\.0\.0\.1:4000; .*; trusted-types lit-html$/,
  )
})

test('allows the Trusted Types policies of the shop', () => {
  expect(cspFor({ checkoutOrigin, trustedTypes: ['vue'] })).toMatch(/; trusted-types lit-html vue$/)
  // The element contains its own copy of Lit.
  expect(cspFor({ checkoutOrigin, trustedTypes: ['vue', 'lit-html'] })).toMatch(
    /; trusted-types lit-html vue 'allow-duplicates'$/,
  )
})

test('adds the nonce and the sources of a framework, and leaves out Trusted Types', () => {
  const scriptSrc = ['https://a.example', 'http://localhost:5173']
  expect(cspFor({ checkoutOrigin, nonce: 'bm9uY2U=', scriptSrc, trustedTypes: false })).toBe(
    "default-src 'none'; script-src 'self' 'nonce-bm9uY2U=' https://a.example http://localhost:5173; style-src 'self' 'nonce-bm9uY2U='; img-src 'self'; font-src 'self'; connect-src 'self'; frame-src https://pay.example; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  )
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
