import { expect, test } from 'vitest'
import {
  readProviderResult,
  transitionCause,
  writeProviderResult,
} from '../../src/checkout/provider-result.ts'
import { declines, type ProviderResult } from '../../src/provider/acquirer.ts'

test.each<[ProviderResult, text: string]>([
  [{ result: 'authorised' }, 'authorised'],
  [{ result: 'declined', decline: 'lost_card', hard: false }, 'declined:lost_card'],
  [{ result: 'declined', decline: 'stolen_card', hard: true }, 'declined_hard:stolen_card'],
])('writes %j as a text, reads it, and moves the intent by it', (result, text) => {
  expect(writeProviderResult(result)).toBe(text)
  expect(readProviderResult(text)).toEqual(result)
  expect(transitionCause(result)).toEqual(
    result.result === 'authorised'
      ? { type: 'authorised', providerPaymentId: expect.stringMatching(/^sim_[A-Za-z0-9]{24}$/) }
      : { type: 'declined', failure: declines[result.decline], hard: result.hard },
  )
})
