import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cspFor } from '../../src/index.ts'

test('returns the policy of the security guide (threat 51)', () => {
  const guide = fileURLToPath(new URL('../../../../.github/SECURITY.md', import.meta.url))
  const [, policy] = /^Content-Security-Policy: (.*)$/m.exec(readFileSync(guide, 'utf8')) ?? []
  const policyText = cspFor({ checkoutOrigin: 'https://pay.example', reportTo: 'csp' })
  expect(policyText.replace('https://pay.example', 'CHECKOUT')).toBe(policy)
})

test('has no report-to without an endpoint', () => {
  expect(cspFor({ checkoutOrigin: 'http://127.0.0.1:4000' })).toMatch(
    /frame-src http:\/\/127\.0\.0\.1:4000; .*; trusted-types lit-html$/,
  )
})

test('allows the Trusted Types policies of the shop, and rejects other directives in their names', () => {
  const checkoutOrigin = 'https://pay.example'
  expect(cspFor({ checkoutOrigin, trustedTypes: ['vue'] })).toMatch(/; trusted-types lit-html vue$/)
  // The element contains its own copy of Lit.
  expect(cspFor({ checkoutOrigin, trustedTypes: ['vue', 'lit-html'] })).toMatch(
    /; trusted-types lit-html vue 'allow-duplicates'$/,
  )
  for (const name of ['', "'none'", '*', 'vue; script-src *', 'a b', 'a,b']) {
    expect(() => cspFor({ checkoutOrigin, trustedTypes: [name] })).toThrow(/^trustedTypes: /)
  }
})

test.each(['https://pay.example;sandbox', "'self'", ''])(
  'rejects the checkoutOrigin %j',
  (checkoutOrigin) => {
    expect(() => cspFor({ checkoutOrigin })).toThrow(/^checkoutOrigin: /)
  },
)

test('rejects a reportTo with another directive', () => {
  const checkoutOrigin = 'https://pay.example'
  for (const reportTo of ['', 'csp; script-src *', 'a b', 'a,b']) {
    expect(() => cspFor({ checkoutOrigin, reportTo })).toThrow(/^reportTo: /)
  }
})
