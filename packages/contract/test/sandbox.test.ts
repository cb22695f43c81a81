import { expect, test } from 'vitest'
import { isTestCard, testCards } from '../src/sandbox.ts'

test('exactly the listed numbers are test cards', () => {
  const numbers = Object.values(testCards)
  expect(numbers.filter(isTestCard)).toEqual(numbers)
  expect(['4111111111111111', '4242 4242 4242 4242', ''].filter(isTestCard)).toEqual([])
})
