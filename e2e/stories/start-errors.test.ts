import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt } from '../fixtures/program.ts'
import { builtService, builtShop, expect, test } from '../fixtures/world.ts'

let data: string
test.beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'pi-e2e-'))
})
test.afterEach(() => rm(data, { recursive: true }))

test('a service whose port is busy ends with the port and the way out', async ({ world }) => {
  const { port } = new URL(world.api.baseUrl)
  const { code, output } = await attempt([
    ...[builtService, 'start', '--json', '--port', port, '--data', data],
  ])
  expect(code).toBe(1)
  expect(output).toContain(`Port ${port}`)
  expect(output).toContain('choose another with PI_PORT or --port')
  expect(output).not.toContain('    at ')
})

test('a shop whose port is busy ends with the port and the way out', async ({ world }) => {
  const { port } = new URL(world.shopUrl)
  const { code, output } = await attempt([builtShop], {
    ...world.shopVariables,
    PORT: port,
    PI_SHOP_DATA: data,
  })
  expect(code).toBe(1)
  expect(output).toContain(`Port ${port} is taken by another program`)
  expect(output).toContain('choose another port')
  expect(output).not.toContain('    at ')
})

for (const [name, source] of [
  ['PI_API_KEY', 'pi-service start'],
  ['PI_BASE_URL', 'pi-service start'],
  ['PI_CHECKOUT_ORIGIN', 'pi-service start'],
  ['PI_HANDOFF_KEYS', 'Make one'],
] as const) {
  test(`a shop without ${name} ends with its name, where it comes from and what to do`, async ({
    world,
  }) => {
    const variables = { ...world.shopVariables, PI_SHOP_DATA: data, [name]: '' }
    const { code, output } = await attempt([builtShop], variables)
    expect(code).toBe(1)
    expect(output).toContain(name)
    expect(output).toContain(source)
    expect(output).not.toContain(world.api.apiKey)
    expect(output).not.toContain('    at ')
  })
}
