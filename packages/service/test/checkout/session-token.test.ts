import { createPrivateKey, randomBytes, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { SessionTokens } from '../../src/checkout/session-token.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'

const issuer = 'http://127.0.0.1:4000'
const now = new Date('2026-11-20T09:30:00.000Z')
const session = { id: 'pi_1', environmentId: 'env_1', origin: 'https://shop.example' }
const root = newSecretKeys()
const tokens = new SessionTokens(readSecretKeys(root), issuer)

const header = { alg: 'Ed25519', typ: 'pi-checkout+jwt', kid: 'k1' }
const issuedAt = now.getTime() / 1000
const claims = {
  env: 'env_1',
  org: 'https://shop.example',
  iss: issuer,
  aud: `${issuer}/checkout-api`,
  sub: 'pi_1',
  jti: 'one',
  iat: issuedAt,
  exp: issuedAt + 900,
}

test('a session lasts fifteen minutes and no longer', async () => {
  const { token, expiresAt } = await tokens.sign(session, now)
  expect(expiresAt).toBe('2026-11-20T09:45:00.000Z')
  expect(await tokens.verify(token, now)).toEqual(session)
  expect(await tokens.verify(token, later(14 * 60))).toEqual(session)
  expect(await tokens.verify(token, later(15 * 60 + 6))).toBeUndefined()
})

test('a session survives a rotation of the secret keys until the old key is dropped', async () => {
  const { token } = await tokens.sign(session, now)
  const newer = newSecretKeys().replace('k1', 'k2')
  const rotated = new SessionTokens(readSecretKeys(`${newer},${root}`), issuer)
  expect(await rotated.verify(token, now)).toEqual(session)
  expect(await new SessionTokens(readSecretKeys(newer), issuer).verify(token, now)).toBeUndefined()
})

test('a token that is signed like ours and claims like ours passes', async () => {
  expect(await tokens.verify(forge({}, {}), now)).toEqual(session)
})

for (const [what, changedHeader, changedClaims] of [
  ['names no algorithm', { alg: 'none' }, {}],
  ['calls the algorithm EdDSA', { alg: 'EdDSA' }, {}],
  ['names a key that is not there', { kid: 'k9' }, {}],
  ['names a key like a property of every object', { kid: 'constructor' }, {}],
  ['names no key', { kid: undefined }, {}],
  ['is of another type', { typ: 'pi-handoff+jwt' }, {}],
  ['is of no type', { typ: undefined }, {}],
  ['is for another audience', {}, { aud: issuer }],
  ['comes from another issuer', {}, { iss: 'http://127.0.0.1:4001' }],
  ['has no subject', {}, { sub: undefined }],
  ['has no id', {}, { jti: undefined }],
  ['never expires', {}, { exp: undefined }],
  ['does not say when it began', {}, { iat: undefined }],
  ['begins in the future', {}, { iat: issuedAt + 60, exp: issuedAt + 900 }],
  ['is older than a session may be', {}, { iat: issuedAt - 1000, exp: issuedAt + 900 }],
  ['has no environment', {}, { env: undefined }],
  ['has no origin', {}, { org: 7 }],
] as const) {
  test(`a token that ${what} opens nothing (threat 59)`, async () => {
    expect(await tokens.verify(forge(changedHeader, changedClaims), now)).toBeUndefined()
  })
}

test('a token that was signed with a shared secret opens nothing (threat 59)', async () => {
  const key = readSecretKeys(root).derive('checkout-token', 'k1') ?? Buffer.alloc(32)
  const token = await new SignJWT(claims)
    .setProtectedHeader({ ...header, alg: 'HS256' })
    .sign(new Uint8Array(key))
  expect(await tokens.verify(token, now)).toBeUndefined()
})

test('rejects a token with another signature, a cut one and a huge one', async () => {
  const { token } = await tokens.sign(session, now)
  const foreign = new SessionTokens(readSecretKeys(newSecretKeys()), issuer)
  expect(await tokens.verify((await foreign.sign(session, now)).token, now)).toBeUndefined()
  expect(await tokens.verify(token.slice(0, -4), now)).toBeUndefined()
  expect(await tokens.verify(`${token}${'A'.repeat(20_000)}`, now)).toBeUndefined()
  expect(await tokens.verify('', now)).toBeUndefined()
  expect(await tokens.verify(randomBytes(64).toString('base64url'), now)).toBeUndefined()
})

function later(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

/** Signs by hand, with the service's own key: a library would refuse half of these. */
function forge(changedHeader: object, changedClaims: object): string {
  const seed = readSecretKeys(root).derive('checkout-token', 'k1') ?? Buffer.alloc(32)
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const signed = [
    { ...header, ...changedHeader },
    { ...claims, ...changedClaims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}
