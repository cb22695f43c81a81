import { createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { SessionTokens } from '../../src/checkout/sessions.ts'
import { newSecretKey, readSecretKey } from '../../src/secret-keys.ts'

const issuer = 'http://127.0.0.1:4000'
const now = new Date('2026-11-20T09:30:00.000Z')
const session = { id: 'pi_1', environmentId: 'env_1', origin: 'https://shop.example' }
const verified = { ...session, expiresAt: new Date('2026-11-20T09:45:00.000Z') }
const root = newSecretKey()
const key = readSecretKey(root).derive('checkout-token')

const header = { alg: 'HS256', typ: 'pi-checkout+jwt' }
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

function tokensOf(secretKeys: string): SessionTokens {
  return new SessionTokens(readSecretKey(secretKeys), issuer)
}

async function verify(token: string, at = now, secretKeys = root) {
  return await tokensOf(secretKeys).verify(token, at)
}

test('accepts a token for fifteen minutes, also one that was accepted before', async () => {
  const tokens = tokensOf(root)
  const { token, expiresAt } = await tokens.sign(session, now)
  expect(expiresAt).toBe('2026-11-20T09:45:00.000Z')
  for (const [seconds, expected] of [
    [0, verified],
    [899, verified],
    [906, undefined],
    [-6, undefined],
    [1, verified],
  ] as const) {
    const at = new Date(now.getTime() + seconds * 1000)
    expect(await verify(token, at)).toEqual(expected)
    expect(await tokens.verify(token, at)).toEqual(expected)
  }
})

test('rejects a token of another secret key', async () => {
  const { token } = await tokensOf(root).sign(session, now)
  expect(await verify(token, now, newSecretKey())).toBeUndefined()
})

test('accepts a token that was signed by hand with valid claims', async () => {
  expect(await verify(forge({}, {}))).toEqual(verified)
})

for (const [what, changedHeader, changedClaims] of [
  ['no algorithm', { alg: 'none' }, {}],
  ['the algorithm HS512', { alg: 'HS512' }, {}],
  ['another type', { typ: 'pi-handoff+jwt' }, {}],
  ['no type', { typ: undefined }, {}],
  ['another audience', {}, { aud: issuer }],
  ['more than 4,096 characters', {}, { note: 'x'.repeat(3000) }],
  ['another issuer', {}, { iss: 'http://127.0.0.1:4001' }],
  ['no subject', {}, { sub: undefined }],
  ['a subject that is no text', {}, { sub: 7 }],
  ['no id', {}, { jti: undefined }],
  ['no expiry', {}, { exp: undefined }],
  ['no start', {}, { iat: undefined }],
  ['a start in the future', {}, { iat: issuedAt + 60, exp: issuedAt + 900 }],
  ['a longer lifetime', {}, { iat: issuedAt - 1000, exp: issuedAt + 900 }],
  ['no environment', {}, { env: undefined }],
  ['no origin', {}, { org: 7 }],
] as const) {
  test(`rejects a token with ${what}`, async () => {
    expect(await verify(forge(changedHeader, changedClaims))).toBeUndefined()
  })
}

test('rejects a token with a signature of a key pair', async () => {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const der = Buffer.concat([prefix, key])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  for (const alg of ['Ed25519', 'EdDSA', 'HS256']) {
    const token = forge({ alg }, {}, (signed) => sign(null, signed, privateKey))
    expect(await verify(token)).toBeUndefined()
  }
})

test('rejects another signature and a cut, long, empty, or random token', async () => {
  const { token } = await tokensOf(root).sign(session, now)
  const { token: foreign } = await tokensOf(newSecretKey()).sign(session, now)
  const random = randomBytes(64).toString('base64url')
  for (const each of [foreign, token.slice(0, -4), `${token}${'A'.repeat(20_000)}`, '', random]) {
    expect(await verify(each)).toBeUndefined()
  }
})

/** Signs by hand, with the service's own key: a library would reject half of these. */
function forge(
  changedHeader: object,
  changedClaims: object,
  signatureOf = (signed: Buffer) => createHmac('sha256', key).update(signed).digest(),
): string {
  const signed = [
    { ...header, ...changedHeader },
    { ...claims, ...changedClaims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${signatureOf(Buffer.from(signed)).toString('base64url')}`
}
