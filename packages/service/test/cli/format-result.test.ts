import { expect, test } from 'vitest'
import { describeResult } from '../../src/cli/format-result.ts'

const environment = { merchant: 'Demo Shop', environment: 'test' } as const

test('a list of merchants says what each of their environments has, and what it lacks', () => {
  const createdAt = new Date(0)
  const words = describeResult({
    merchants: [
      {
        ...environment,
        workingKeys: 1,
        origins: ['https://a.example', 'https://b.example'],
        createdAt,
      },
      { merchant: 'New', environment: 'live', workingKeys: 0, origins: [], createdAt },
    ],
  })
  expect(words.split('\n')).toEqual([
    'Demo Shop (test)  1 valid key  https://a.example, https://b.example',
    'New (live)  0 valid keys  no origin, so no page can show its checkout',
  ])
})

test('a key says until when it works, or that it does no longer', () => {
  const key = { id: 'key_1', display: 'pi_sk_test_…wxyz', ...environment, createdAt: new Date(0) }
  const expiresAt = new Date('2099-01-31T00:00:00Z')
  const keys = [
    { ...key, expiresAt: null, revokedAt: null },
    { ...key, expiresAt, revokedAt: null },
    { ...key, expiresAt, revokedAt: new Date(1) },
  ]
  expect(describeResult({ keys }).split('\n')).toEqual([
    'key_1  pi_sk_test_…wxyz  Demo Shop (test)',
    'key_1  pi_sk_test_…wxyz  Demo Shop (test)  until 2099-01-31T00:00:00.000Z',
    'key_1  pi_sk_test_…wxyz  Demo Shop (test)  revoked',
  ])
})

test('a list of origins is a line each, and the last one that goes is not an empty line', () => {
  const origins = ['https://a.example', 'https://b.example']
  const listed = origins.map((origin) => ({ origin, ...environment }))
  expect(describeResult({ origins: listed })).toBe(
    'https://a.example  Demo Shop (test)\nhttps://b.example  Demo Shop (test)',
  )
  expect(describeResult({ ...environment, origins })).toBe(
    'Demo Shop (test): https://a.example, https://b.example',
  )
  expect(describeResult({ ...environment, origins: [] })).toBe(
    'Demo Shop (test): no origin, so no page can show its checkout',
  )
})
