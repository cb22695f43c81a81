import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { newSecretKey, readSecretKey } from '../src/secret-keys.ts'
import { createTokens, tokenLifetimes } from '../src/tokens.ts'

const now = new Date('2026-11-20T09:30:00.000Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const subject = { id: 'pi_1', origin: 'https://shop.example' }
const verified = { ...subject, expiresAt: later(900) }
const root = newSecretKey()
const key = readSecretKey(root).derive('token')

const header = { alg: 'HS256' }
const claims = {
  origin: 'https://shop.example',
  aud: 'session',
  sub: 'pi_1',
  exp: later(900).getTime() / 1000,
}

const tokensOf = (secretKey = root) => createTokens(readSecretKey(secretKey))

async function verify(token: string, at = now, secretKey = root) {
  return await tokensOf(secretKey).verify('session', token, at)
}

test('accepts a session for fifteen minutes, at the instance that signed it and at another one', async () => {
  const tokens = tokensOf()
  const { token, expiresAt } = await tokens.sign('session', subject, now)
  expect(expiresAt).toBe('2026-11-20T09:45:00.000Z')
  for (const [seconds, isValid] of [
    [0, true],
    [899, true],
    [901, false],
    [1, true],
  ] as const) {
    const expected = isValid ? verified : undefined
    expect(await verify(token, later(seconds))).toEqual(expected)
    const known = await tokens.verify('session', token, later(seconds))
    expect(known && { ...known, purpose: undefined }).toEqual(expected)
  }
  expect(await verify(token, now, newSecretKey())).toBeUndefined()
})

test('accepts a token for its purpose only, and signs each one differently', async () => {
  const purposes = Object.keys(tokenLifetimes) as (keyof typeof tokenLifetimes)[]
  const signed = new Set<string>()
  for (const purpose of [...purposes, ...purposes]) {
    const { token } = await tokensOf().sign(purpose, subject, now)
    signed.add(token)
    for (const other of purposes) {
      const found = await tokensOf().verify(other, token, now)
      expect(found?.id, `${purpose} as ${other}`).toBe(purpose === other ? 'pi_1' : undefined)
    }
  }
  expect(signed.size).toBe(2 * purposes.length)
})

test('accepts a token that was signed by hand with valid claims', async () => {
  expect(await verify(forge({}, {}))).toEqual(verified)
})

test.each([
  ['no algorithm', { alg: 'none' }, {}],
  ['the algorithm HS512', { alg: 'HS512' }, {}],
  ['another audience', {}, { aud: 'full-page' }],
  ['no audience', {}, { aud: undefined }],
  ['no subject', {}, { sub: undefined }],
  ['a subject that is no text', {}, { sub: 7 }],
  ['no expiry', {}, { exp: undefined }],
  ['no origin', {}, { origin: 7 }],
] as const)('rejects a token with %s', async (_, changedHeader, changedClaims) => {
  expect(await verify(forge(changedHeader, changedClaims))).toBeUndefined()
})

test('rejects a token with a signature of a key pair', async () => {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, key])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  for (const alg of ['Ed25519', 'EdDSA', 'HS256']) {
    const token = forge({ alg }, {}, (signed) => sign(null, signed, privateKey))
    expect(await verify(token)).toBeUndefined()
  }
})

test('rejects a changed, cut, long, or empty token', async () => {
  const { token } = await tokensOf().sign('session', subject, now)
  const [head, , signature] = token.split('.')
  const changed = [head, partOf({ ...claims, sub: 'pi_2' }), signature].join('.')
  for (const each of [changed, token.slice(0, -4), `${token}${'A'.repeat(20_000)}`, '']) {
    expect(await verify(each)).toBeUndefined()
  }
})

/** Signs by hand, with the service's own key: a library would reject half of these. */
function forge(
  changedHeader: object,
  changedClaims: object,
  signatureOf = (signed: Buffer) => createHmac('sha256', key).update(signed).digest(),
): string {
  const parts = [partOf({ ...header, ...changedHeader }), partOf({ ...claims, ...changedClaims })]
  const signed = parts.join('.')
  return `${signed}.${signatureOf(Buffer.from(signed)).toString('base64url')}`
}

function partOf(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}
