import { expect, test } from '../fixtures/world.ts'

const codes = [
  'not_configured',
  'insecure_context',
  'invalid_values',
  'origin_not_allowed',
  'protocol_mismatch',
  'unauthorized',
  'internal',
]

test('a developer brings about the errors of the element on demand', async ({ page, world }) => {
  const playground = new URL('/_sandbox/playground/', world.api.baseUrl)
  playground.hostname = 'localhost'
  for (const code of codes) {
    await page.goto(`${playground}?show=${code}`)
    await expect(page.locator('#error'), code).toHaveText(code)
  }
  await page.goto(`${playground}?show=ready`)
  await expect(page.locator('#state')).toHaveText('ready')
})
