import { demoShop, piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from '../fixtures/test-stack.ts'

test('a service whose port is in use exits with the port and the fix', async ({ stack }) => {
  const { port } = new URL(stack.api.baseUrl)
  const args = [piService, 'start', '--json', '--port', port, '--data', `${stack.data}/other`]
  const { code, errors } = await runProgram(args)
  expect(code).toBe(1)
  expect(errors).toContain(`Port ${port}`)
  expect(errors).toContain('choose another with PI_PORT or --port')
  expect(errors).not.toContain('    at ')
})

for (const { name, variable, messages } of [
  { name: 'whose port is in use', variable: 'PORT', messages: ['Port', 'set another port'] },
  ...['PI_API_KEY', 'PI_BASE_URL', 'PI_CHECKOUT_ORIGIN', 'PI_HANDOFF_KEYS'].map((variable) => ({
    ...{ name: `without ${variable}`, variable },
    messages: [variable, variable === 'PI_HANDOFF_KEYS' ? 'Make one' : 'pi-service start'],
  })),
]) {
  test(`a shop ${name} exits with the reason and the fix`, async ({ stack }) => {
    const value = variable === 'PORT' ? new URL(stack.shopUrl).port : ''
    const data = { PI_SHOP_DATA: `${stack.data}/other-shop` }
    const env = { ...stack.shopVariables, ...data, [variable]: value }
    const { code, output, errors } = await runProgram([demoShop], { env })
    expect(code).toBe(1)
    for (const message of messages) expect(errors).toContain(message)
    expect(output + errors).not.toContain(stack.api.apiKey)
    expect(output + errors).not.toContain('    at ')
  })
}
