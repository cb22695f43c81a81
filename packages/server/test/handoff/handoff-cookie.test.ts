import { EncryptJWT, jwtDecrypt } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { createHandoff, PaymentIntents, type ResumeCookieOptions } from '../../src/index.ts'
import { fakeService, fakeTime } from '../../src/testing/fake-service.ts'
import { created, order, retrieved, scriptedService } from '../scripted-service.ts'
import { closed, cookieOf, handlerOf, k1, k2, origin, type ShopOptions, shop } from './shop.ts'

afterEach(() => vi.unstubAllEnvs())

test('a reload resumes the intent without a request', async () => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }))
  const { handoff } = shop(service.url)
  const first = await handoff({})
  const second = await handoff({}, { cookie: `other=1; ${cookieOf(first)}` })
  expect(await second.json()).toEqual(await first.json())
  expect(second.headers.get('set-cookie')).toBeNull()
  expect(service.requests).toHaveLength(1)
})

test.each([
  ['a changed cart', { amount: 1 }],
  ['a raised attempt', { attempt: 2 }],
])('creates another intent for %s', async (_, change) => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }), retrieved())
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  Object.assign(row, change)
  const second = await handoff({}, { cookie: cookieOf(first) })
  expect(await second.json()).toMatchObject({ id: 'pi_second' })
  expect(service.keys()).toHaveLength(2)
})

test('sends a request if the stored intent differs from that of the cookie', async () => {
  const service = await scriptedService(created(), created(), retrieved())
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  row.intentId = 'pi_newer'
  await handoff({}, { cookie: cookieOf(first) })
  expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET'])
})

test('rejects resumeCookie: null when the handler is created', () => {
  const create = () => createHandoff({ shopOrigin: origin, resumeCookie: null } as never)
  expect(create).toThrow(/^resumeCookie: is null\. Pass false/)
})

const session = { session: () => 'session-1', row: { intentId: 'pi_scripted' } }
test.each<[string, ShopOptions, ((cookie: string) => string | Promise<string>)?]>([
  ['another session', { session: () => 'session-2' }],
  ['no session', { session: undefined }],
  ['another order', { order: () => ({ ...order, orderId: 'B-2', intentId: 'pi_scripted' }) }],
  ['another shop', { base: 'https://other.example' }],
  ['another key', { resumeCookie: { keys: k2 } }],
  ['another name', { resumeCookie: { name: 'other' } }],
  ['a time after its expiry', { now: () => Date.now() + 1_810_000 }],
  ['a time before its creation', { now: () => Date.now() - 60_000 }],
  ['a changed value', {}, (cookie) => `${cookie}x`],
  ['an empty value', {}, () => '__Host-pi-handoff='],
  ['no token', {}, () => '__Host-pi-handoff=a.b.c'],
  ['a long value', {}, () => `__Host-pi-handoff=${'x'.repeat(5000)}`],
  ['another type', {}, (cookie) => reencrypt(cookie, { typ: 'JWT' })],
  ['more than 4,096 characters', {}, (cookie) => reencrypt(cookie, { more: 'x'.repeat(4000) })],
])('ignores a cookie with %s (threat 37)', async (_, options, change = (cookie) => cookie) => {
  const service = await scriptedService(created())
  const cookie = cookieOf(await shop(service.url, session).handoff({}))
  await shop(service.url, session).handoff({}, { cookie })
  expect(service.requests).toHaveLength(1)
  const other = shop(service.url, { ...session, ...options })
  expect((await other.handoff({}, { cookie: await change(cookie) })).status).toBe(200)
  expect(service.requests).toHaveLength(2)
})

test('accepts a cookie that was encrypted with the same key again', async () => {
  const service = await scriptedService(created())
  const { handoff } = shop(service.url)
  await handoff({}, { cookie: await reencrypt(cookieOf(await handoff({})), {}) })
  expect(service.requests).toHaveLength(1)
})

/** Encrypts the claims of a cookie with its key, with another type or with more claims. */
async function reencrypt(
  cookie: string,
  { typ, more }: { readonly typ?: string; readonly more?: string },
): Promise<string> {
  const [name = '', value = ''] = cookie.split('=')
  const key = Buffer.from(k1.slice(3), 'base64url')
  const { payload, protectedHeader } = await jwtDecrypt(value, key)
  const jwt = new EncryptJWT({ ...payload, ...(more && { more }) })
  const header = { ...protectedHeader, ...(typ && { typ }) }
  return `${name}=${await jwt.setProtectedHeader(header).encrypt(key)}`
}

test('after a key rotation the new key encrypts and the old one still decrypts', async () => {
  const service = await scriptedService(created())
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  const rotated = shop(service.url, { row, resumeCookie: { keys: `${k2}, ${k1}` } })
  await rotated.handoff({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(1)
  const [, header = ''] = /=([^.]+)/.exec(cookieOf(await rotated.handoff({}))) ?? []
  const expected = { alg: 'dir', enc: 'A256GCM', typ: 'pi-handoff+jwt', kid: 'k2' }
  expect(JSON.parse(atob(header))).toEqual(expected)
})

const eightBytes = `k1:${Buffer.alloc(32, '12345678').toString('base64url')}`
test.each<[ResumeCookieOptions, string, RegExp]>([
  [{ name: 'acme' }, origin, /^__Host-acme=\S+; Max-Age=1800; Path=\/; .*; Secure$/],
  [{ path: '/checkout' }, origin, /^__Secure-pi-handoff=\S+; .*Path=\/checkout; .*; Secure$/],
  [{ maxAge: 60, name: 'a' }, 'http://localhost', /^a=\S+; Max-Age=60; Path=\/; .*Strict$/],
  // WebKit would drop a cookie with Secure.
  [{}, 'http://localhost:3000', /^pi-handoff=\S+; .*Path=\/; HttpOnly; SameSite=Strict$/],
  [{ maxAge: 1 }, origin, /; Max-Age=1;/],
  [{ maxAge: 86_400, keys: eightBytes }, origin, /; Max-Age=86400;/],
])(
  'with %j the cookie at %s has its name, path, and lifetime',
  async (resumeCookie, base, form) => {
    const service = await scriptedService(created())
    const { handoff } = shop(service.url, { base, resumeCookie })
    const first = await handoff({})
    expect(first.headers.get('set-cookie')).toMatch(form)
    await handoff({}, { cookie: cookieOf(first) })
    expect(service.requests).toHaveLength(1)
  },
)

test.each<ResumeCookieOptions>([
  ...[{ name: '' }, { name: 'a b' }, { name: '__Host-a' }, { path: 'a/b' }, { path: '/;a' }],
  ...[{ maxAge: 0 }, { maxAge: 1.5 }, { maxAge: 86_401 }],
])('check() rejects the resumeCookie %j', async (resumeCookie) => {
  const [[name, value] = []] = Object.entries(resumeCookie)
  const check = handlerOf({ resumeCookie }).check()
  await expect(check).rejects.toThrow(`resumeCookie.${name}: must be `)
  await expect(check).rejects.toThrow(`received ${JSON.stringify(value)}.`)
})

test.each<[string, ShopOptions]>([
  ['PI_HANDOFF_KEYS is not set', { resumeCookie: { keys: undefined } }],
  ['resumeCookie is false', { resumeCookie: false }],
])('if %s, a reload finds the intent with the same create', async (_, options) => {
  vi.stubEnv('PI_HANDOFF_KEYS', options.resumeCookie === false ? k1 : undefined)
  const service = fakeService()
  const intents = new PaymentIntents({ ...service.options, ...fakeTime() })
  const { handoff, handle, row } = shop(closed, { intents, ...options })
  await handle.check()
  const [first, second] = [await handoff({}), await handoff({})]
  expect([first, second].map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null])
  expect(await first.json()).toEqual(await second.json())
  expect(service.intents.map(({ id }) => id)).toEqual([row.intentId])
})

const malformed = /^keys: must be k1:<43 base64url characters>, .*contains the keys for the resume/
const notRandom = /^keys: key k1 is not random .*Generate one with node/
test.each([
  ['secret', malformed],
  ['k1:short', malformed],
  [`${k1}0`, malformed],
  [`k1:${k1}`, malformed],
  [`${k1},${k1}`, /^keys: contains the key k1 twice\./],
  [`K1:${k1.slice(3)}`, malformed],
  [`k1:${'A'.repeat(43)}`, notRandom],
  [`k1:${'AB'.repeat(21)}A`, notRandom],
  [`k1:${Buffer.alloc(32, '1234567').toString('base64url')}`, notRandom],
  ['', malformed],
])('rejects the handoff keys %.9s without printing them (threat 70)', async (keys, rule) => {
  const onError = vi.fn()
  expect((await shop(closed, { resumeCookie: { keys }, onError }).handoff({})).status).toBe(500)
  const { message } = onError.mock.calls[0]?.[0].error ?? {}
  expect(message).toMatch(rule)
  expect(message).not.toContain(k1.slice(3))
})
