// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { startService } from '../../src/index.ts'

test('starts and stops in jsdom, which replaces globals of Node.js such as Blob and URL', async () => {
  const { baseUrl, apiKey, stop } = await startService()
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${baseUrl}/payment-intents/pi_x`, { headers })
  await stop()
  expect(response.status).toBe(404)
})
