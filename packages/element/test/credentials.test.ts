import { expect, test } from 'vitest'
import { Credentials } from '../src/credentials.ts'

const one = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
const two = { id: 'pi_2', clientSecret: 'pi_2_secret_y' }
const mountedOne = { id: 'pi_1', secret: 'pi_1_secret_x', retried: false, reported: false }

test.each([undefined, null, {}, 'pi_1', { id: 'pi_1' }, { clientSecret: 'x' }, { ...one, id: 1 }])(
  'rejects the handoff %j, and keeps the earlier one',
  (handoff) => {
    const credentials = new Credentials()
    credentials.setHandoff(one)
    expect(() => credentials.setHandoff(handoff)).toThrow(
      new TypeError('handoff: must have id and clientSecret'),
    )
    expect(credentials.mounted).toEqual(mountedOne)
  },
)

test.each([
  [1, 'clientSecret: must be a string or null'],
  [
    'pi_sk_test_x',
    'clientSecret: must not be a secret API key. Pass the clientSecret of a handoff',
  ],
])('rejects the secret %s', (secret, message) => {
  const credentials = new Credentials()
  expect(() => credentials.setSecret(secret)).toThrow(new TypeError(message))
  expect(() => credentials.setHandoff({ id: 'pi_1', clientSecret: secret })).toThrow(
    new TypeError(message),
  )
  expect(credentials.mounted).toBeUndefined()
})

test('mounts id and secret in any order, and nothing without both', () => {
  const credentials = new Credentials()
  expect(credentials.mounted).toBeUndefined()
  credentials.setSecret(one.clientSecret)
  expect(credentials.mounted).toBeUndefined()
  credentials.id = one.id
  expect(credentials.mounted).toEqual(mountedOne)
  credentials.setSecret(undefined)
  expect(credentials.mounted).toBeUndefined()
})

test('mounts the same object until id or secret changes, or it is renewed', () => {
  const credentials = new Credentials()
  credentials.renew()
  expect(credentials.mounted).toBeUndefined()
  credentials.setHandoff(one)
  const first = credentials.mounted
  credentials.setHandoff({ ...one })
  expect(credentials.mounted).toBe(first)
  credentials.renew()
  expect(credentials.mounted).not.toBe(first)
  expect(credentials.mounted).toEqual(mountedOne)
  credentials.setHandoff({ ...one, clientSecret: two.clientSecret })
  expect(credentials.mounted).toEqual({ ...mountedOne, secret: two.clientSecret })
  credentials.setHandoff(two)
  expect(credentials.mounted?.id).toBe('pi_2')
})

test('forgets the secret of an id that is replaced by another', () => {
  const credentials = new Credentials()
  credentials.setSecret(one.clientSecret)
  credentials.id = one.id
  expect(credentials.mounted).toEqual(mountedOne)
  credentials.id = two.id
  expect(credentials.mounted).toBeUndefined()
  credentials.id = one.id
  expect(credentials.mounted).toBeUndefined()
  // A secret that is set again belongs to the next id.
  credentials.setSecret(two.clientSecret)
  credentials.id = two.id
  expect(credentials.mounted?.secret).toBe(two.clientSecret)
})

test.each([
  ['reject', one, true],
  ['reject', two, false],
  ['reject', { ...one, clientSecret: 'x' }, false],
  ['reject', { ...two, clientSecret: one.clientSecret }, false],
  ['clear', one, false],
] as const)('after %s, the handoff %j counts as reported: %s', (act, next, reported) => {
  const credentials = new Credentials()
  credentials.setHandoff(one)
  Object.assign(credentials.mounted ?? {}, { reported: true })
  credentials[act]()
  expect(credentials.id).toBeNull()
  expect(credentials.mounted).toBeUndefined()
  credentials.setHandoff(next)
  expect(credentials.mounted?.reported).toBe(reported)
  // What was not reported is not later.
  credentials.reject()
  credentials.clear()
  expect(credentials.mounted).toBeUndefined()
  credentials.setHandoff(one)
  expect(credentials.mounted?.reported).toBe(false)
})
