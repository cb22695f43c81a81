import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sessionTokens } from '../../src/checkout/sessions.ts'
import { newToken } from '../../src/intents/challenge-token.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'

const publicUrl = 'http://127.0.0.1:4000'
const now = new Date('2026-11-20T09:30:00.000Z')
const session = { id: 'pi_1', environmentId: 'env_1', origin: 'https://shop.example' }
const verified = { ...session, expiresAt: new Date('2026-11-20T09:45:00.000Z') }
const root = newSecretKeys()
const keys = readSecretKeys(root)
const tokens = sessionTokens(keys, publicUrl, 'checkout-api')
const { token, expiresAt } = tokens.sign(session, now)
const [body = '', mac = ''] = token.split('.')

test('accepts a token for fifteen minutes, and that of a full page for an hour', () => {
  expect(expiresAt).toBe('2026-11-20T09:45:00.000Z')
  const full = sessionTokens(keys, publicUrl, 'checkout')
  const { token: cookie } = full.sign(session, now)
  for (const [seconds, ofApi, ofPage] of [
    [-6, false, false],
    [-5, true, true],
    [0, true, true],
    [899, true, true],
    [900, false, true],
    [3600, false, false],
  ] as const) {
    const at = new Date(now.getTime() + seconds * 1000)
    expect(tokens.verify(token, at)).toEqual(ofApi ? verified : undefined)
    expect(full.verify(cookie, at) !== undefined).toBe(ofPage)
  }
})

test('accepts a token after a rotation until the old secret key is removed', () => {
  const newer = newSecretKeys().replace('k1', 'k2')
  const verify = (text: string) =>
    sessionTokens(readSecretKeys(text), publicUrl, 'checkout-api').verify(token, now)
  expect(verify(`${newer},${root}`)).toEqual(verified)
  expect(verify(newer)).toBeUndefined()
})

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

const later = encode({ ...session, expiresAt: '2099-01-01T00:00:00.000Z' })
const jwtHeader = encode({ alg: 'none', typ: 'JWT' })

test.each([
  ['of the other use', sessionTokens(keys, publicUrl, 'checkout').sign(session, now).token],
  [
    'of another origin',
    sessionTokens(keys, `${publicUrl}1`, 'checkout-api').sign(session, now).token,
  ],
  ['of a challenge', newToken(keys, 'pi_1', 'enter')],
  ['with another body', `${later}.${mac}`],
  [
    'with a MAC of another key',
    `${later}.${createHmac('sha256', 'x').update(later).digest('base64url')}`,
  ],
  ['without a MAC', body],
  ['with an empty MAC', `${body}.`],
  ['with a part more', `${token}.${mac}`],
  ['that is an unsigned JSON Web Token', `${jwtHeader}.${later}.`],
  ['that is cut', token.slice(0, -1)],
  ['that is long', token + 'A'.repeat(20_000)],
  ['that is empty', ''],
  ['that is random', randomBytes(64).toString('base64url')],
])('rejects a token %s (threat 59)', (_, wrong) => {
  expect(tokens.verify(wrong, now)).toBeUndefined()
})
