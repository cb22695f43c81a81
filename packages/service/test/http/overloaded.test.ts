import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Call } from '../../src/http/call.ts'
import { sendProblem } from '../../src/http/problem.ts'
import { Overloaded } from '../../src/store/errors.ts'
import { serve } from '../support/lifetime.ts'

test('rejects with Retry-After when too many requests wait for the store', async () => {
  const log = pino({ enabled: false })
  const url = await serve((request, response) =>
    sendProblem(new Call(request, response), { error: new Overloaded(), log }),
  )
  const response = await fetch(url)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({
    code: 'store_unavailable',
    retryable: true,
    detail: expect.stringContaining('This request was not run'),
  })
})
