import { expect, test } from 'vitest'
import type { AdminResult } from '../../src/cli/admin-commands.ts'
import { describeResult } from '../../src/cli/format-result.ts'

const environment = { merchant: 'Tsiran', environment: 'test' } as const
const createdAt = new Date(0)
const origins = ['https://a.example', 'https://b.example']
const key = { id: 'key_1', display: 'pi_sk_test_…wxyz', ...environment, createdAt }
const expiresAt = new Date('2099-01-31T00:00:00Z')

const linesOf = (result: AdminResult): string[] => describeResult(result).split('\n')

test('shows keys, origins, and what is missing of each environment', () => {
  const other = { merchant: 'New', environment: 'live', workingKeys: 0, origins: [] } as const
  const merchants = [{ ...environment, workingKeys: 1, origins }, other]
  expect(linesOf({ merchants: merchants.map((each) => ({ ...each, createdAt })) })).toEqual([
    'Tsiran (test)  1 valid key  https://a.example, https://b.example',
    'New (live)  0 valid keys  no origin, so no page can show its checkout',
  ])
})

test('shows the expiry or revocation of each key', () => {
  const revoked = { ...key, expiresAt, revokedAt: new Date(1) }
  const keys = [
    { ...revoked, expiresAt: null, revokedAt: null },
    { ...revoked, revokedAt: null },
  ]
  const line = 'key_1  pi_sk_test_…wxyz  Tsiran (test)'
  const lines = [line, `${line}  until 2099-01-31T00:00:00.000Z`, `${line}  revoked`]
  expect(linesOf({ keys: [...keys, revoked] })).toEqual(lines)
})

test('shows the origins of an environment, or that it has none left', () => {
  const listed = origins.map((origin) => ({ origin, ...environment }))
  const lines = ['https://a.example  Tsiran (test)', 'https://b.example  Tsiran (test)']
  expect(linesOf({ origins: listed })).toEqual(lines)
  const both = ['Tsiran (test): https://a.example, https://b.example']
  expect(linesOf({ ...environment, origins })).toEqual(both)
  const none = ['Tsiran (test): no origin, so no page can show its checkout']
  expect(linesOf({ ...environment, origins: [] })).toEqual(none)
})
