import { expect, test } from 'vitest'
import { verify } from '../../src/index.ts'
import { order } from '../scripted-service.ts'

const expected = { id: 'pi_1', ...order }
const intent = { ...expected, status: 'succeeded' }

test('only this intent with the exact amount and currency is paid (threat 43)', () => {
  expect(verify(intent, expected)).toBe('paid')
  expect(verify(intent, { ...expected, currency: 'amd' })).toBe('paid')
  for (const change of [
    { id: 'pi_2' },
    { orderId: 'B-2' },
    { amount: 150001 },
    { currency: 'USD' },
  ]) {
    expect(verify(intent, { ...expected, ...change })).toBe('mismatch')
  }
  expect(verify({ ...intent, status: 'expired' }, expected)).toBe('failed')
})
