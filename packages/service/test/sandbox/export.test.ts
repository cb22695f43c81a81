import { afterAll, beforeAll, expect, test } from 'vitest'
import { create, order, startTestService, type TestService } from '../support/service.ts'
import { control } from './support.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(async () => await service.stop())

test('the export holds every test intent with its timeline, and no secret', async () => {
  const key = { 'idempotency-key': 'exported-once' }
  const made = (await (await create(service, order, key)).json()) as { id: string }
  const answer = await control(service, 'GET', '/export')
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    environments: [{ merchant: 'Demo Shop', allowedOrigins: ['http://localhost:3000'] }],
    intents: [
      {
        ...order,
        id: made.id,
        status: 'requires_payment_method',
        version: 1,
        events: [],
        attempts: [],
      },
    ],
  })
  for (const secret of ['_secret_', 'pi_sk_', 'exported-once']) expect(text).not.toContain(secret)
})
