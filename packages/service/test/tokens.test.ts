import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { newSecretKey, readSecretKey } from '../src/secret-keys.ts'
import { createTokens, tokenLifetimes } from '../src/tokens.ts'

const now = new Date('2026-11-20T09:30:00.000Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const subject = { id: 'pi_1', origin: 'https://shop.example' }
const verified = { ...subject, expiresAt: later(900) }
const root = newSecretKey()
const key = readSecretKey(root).token

const { origin } = subject
const claims = { origin, aud: 'session', sub: 'pi_1', exp: later(900).getTime() / 1000 }

let clock = now
const tokensOf = (secretKey = root) => createTokens(readSecretKey(secretKey), () => clock)

const verify = async (token: string, secretKey = root) =>
  await tokensOf(secretKey).verify('session', token)

test('accepts a session for fifteen minutes, at the instance that signed it and at another one', async () => {
  const tokens = tokensOf()
  const token = await tokens.sign('session', subject)
  // The clock may be set back.
  for (const seconds of [0, 899, 901, 1]) {
    const expected = seconds === 901 ? undefined : verified
    clock = later(seconds)
    expect(await verify(token)).toEqual(expected)
    const known = await tokens.verify('session', token)
    expect(known && { ...known, purpose: undefined }).toEqual(expected)
  }
  clock = now
  expect(await verify(token, newSecretKey())).toBeUndefined()
})

test('accepts a token for its purpose only, and signs each one differently', async () => {
  const purposes = Object.keys(tokenLifetimes) as (keyof typeof tokenLifetimes)[]
  const signed = new Set<string>()
  for (const purpose of [...purposes, ...purposes]) {
    const token = await tokensOf().sign(purpose, subject)
    signed.add(token)
    for (const other of purposes) {
      const found = await tokensOf().verify(other, token)
      expect(found?.id, `${purpose} as ${other}`).toBe(purpose === other ? 'pi_1' : undefined)
    }
  }
  expect(signed.size).toBe(2 * purposes.length)
})

const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), key])
const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
const byKeyPair = (signed: Buffer) => sign(null, signed, privateKey)
const valid = await tokensOf().sign('session', subject)
const [head, , signature] = valid.split('.')

test.each([
  ['no algorithm', forge({ alg: 'none' }, {})],
  ['the algorithm HS512', forge({ alg: 'HS512' }, {})],
  ['another audience', forge({}, { aud: 'full-page' })],
  ['no audience', forge({}, { aud: undefined })],
  ['no subject', forge({}, { sub: undefined })],
  ['a subject that is no text', forge({}, { sub: 7 })],
  ['no expiry', forge({}, { exp: undefined })],
  ['no origin', forge({}, { origin: 7 })],
  ['a signature of a key pair, as Ed25519', forge({ alg: 'Ed25519' }, {}, byKeyPair)],
  ['a signature of a key pair, as EdDSA', forge({ alg: 'EdDSA' }, {}, byKeyPair)],
  ['a signature of a key pair, as HS256', forge({ alg: 'HS256' }, {}, byKeyPair)],
  ['a changed claim', [head, partOf({ ...claims, sub: 'pi_2' }), signature].join('.')],
  ['a cut signature', valid.slice(0, -4)],
  ['20 KB more', `${valid}${'A'.repeat(20_000)}`],
  ['no characters', ''],
])('rejects a token with %s', async (_, token) => {
  expect(await verify(token)).toBeUndefined()
  // The same one with valid claims is accepted.
  expect(await verify(forge({}, {}))).toEqual(verified)
})

/** Signs by hand, with the service's own key: a library would reject half of these. */
function forge(
  changedHeader: object,
  changedClaims: object,
  signatureOf = (signed: Buffer) => createHmac('sha256', key).update(signed).digest(),
): string {
  const header = partOf({ alg: 'HS256', ...changedHeader })
  const signed = `${header}.${partOf({ ...claims, ...changedClaims })}`
  return `${signed}.${signatureOf(Buffer.from(signed)).toString('base64url')}`
}

function partOf(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}
