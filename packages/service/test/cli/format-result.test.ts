import { expect, test } from 'vitest'
import type { AdminResult } from '../../src/cli/admin-commands.ts'
import { describeResult } from '../../src/cli/format-result.ts'

const environment = { merchant: 'Tsiran', environment: 'test' } as const
const createdAt = new Date(0)
const origins = ['https://a.example', 'https://b.example']
const key = { id: 'key_1', display: 'pi_sk_test_…wxyz', ...environment, createdAt }
const expiresAt = new Date('2099-01-31T00:00:00Z')

test.each([
  [
    'keys, origins, and what is missing of each environment',
    {
      merchants: [
        { ...environment, workingKeys: 1, origins, createdAt },
        { merchant: 'New', environment: 'live', workingKeys: 0, origins: [], createdAt },
      ],
    },
    [
      'Tsiran (test)  1 valid key  https://a.example, https://b.example',
      'New (live)  0 valid keys  no origin, so no page can show its checkout',
    ],
  ],
  [
    'the expiry or revocation of each key',
    {
      keys: [
        { ...key, expiresAt: null, revokedAt: null },
        { ...key, expiresAt, revokedAt: null },
        { ...key, expiresAt, revokedAt: new Date(1) },
      ],
    },
    [
      'key_1  pi_sk_test_…wxyz  Tsiran (test)',
      'key_1  pi_sk_test_…wxyz  Tsiran (test)  until 2099-01-31T00:00:00.000Z',
      'key_1  pi_sk_test_…wxyz  Tsiran (test)  revoked',
    ],
  ],
  [
    'the environment of each origin',
    { origins: origins.map((origin) => ({ origin, ...environment })) },
    ['https://a.example  Tsiran (test)', 'https://b.example  Tsiran (test)'],
  ],
  [
    'the origins that an environment now has',
    { ...environment, origins },
    ['Tsiran (test): https://a.example, https://b.example'],
  ],
  [
    'that an environment has no origin left',
    { ...environment, origins: [] },
    ['Tsiran (test): no origin, so no page can show its checkout'],
  ],
] as readonly [string, AdminResult, readonly string[]][])('shows %s', (_, result, lines) => {
  expect(describeResult(result).split('\n')).toEqual(lines)
})
