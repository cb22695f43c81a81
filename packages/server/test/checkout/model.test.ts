import { expect, test } from 'vitest'
import { firstViolation } from './model.ts'

test('no schedule of two merchants loses a payment, or ships for two', async () => {
  expect(await firstViolation({ schedules: 1_000 })).toBeUndefined()
}, 60_000)
