import { expect, test } from '../fixtures/test-stack.ts'

const codes = [
  'not_configured',
  'insecure_context',
  'invalid_values',
  'origin_not_allowed',
  'protocol_mismatch',
  'unauthorized',
  'internal',
]

test('a developer shows each error of the element in the playground', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/error: pi-checkout: /)
  const lines: string[] = []
  page.on('console', (line) => lines.push(line.text()))
  const playground = new URL('/_sandbox/playground/', stack.api.baseUrl)
  playground.hostname = 'localhost'
  for (const code of codes) {
    await page.goto(`${playground}?show=${code}`)
    await expect(page.locator('#error'), code).toHaveText(code)
    // In a test environment the console shows the code and the fix.
    const reported = (): readonly string[] =>
      lines.filter((line) => line.startsWith('pi-checkout: '))
    await expect.poll(reported).toEqual([expect.stringMatching(`^pi-checkout: ${code}\\. \\w`)])
    lines.length = 0
  }
  await page.goto(`${playground}?show=ready`)
  await expect(page.locator('#state')).toHaveText('ready')
})
