/** A fixture of Playwright: each worker has another test environment at one service. @module */
import { type SandboxAddress, SandboxEnvironment } from '@pi-checkout/contract/sandbox-environment'

/** A fixture for `test.extend()`. */
export type SandboxFixture = [
  fixture: (
    fixtures: object,
    use: (environment: SandboxEnvironment) => Promise<void>,
  ) => Promise<void>,
  options: { readonly scope: 'worker' },
]

/**
 * Returns a fixture that gives each worker a test environment: its own key, intents, clock, origins, and faults. So tests
 * that move the clock or lose responses can run in parallel at one service.
 *
 * The environment is deleted when the worker ends.
 *
 * @param address - The service.
 * @default `PI_BASE_URL` and `PI_ADMIN_TOKEN`, which `pi-service exec` sets
 * @throws {TypeError} When the fixture is set up, if the address is not known.
 * @throws {Error} When the fixture is set up, if the service cannot be reached or rejects the token.
 * @example
 * const test = base.extend<object, { sandbox: SandboxEnvironment }>({ sandbox: sandboxFixture() })
 */
export function sandboxFixture(address?: SandboxAddress): SandboxFixture {
  return [
    // Playwright reads the names of other fixtures from this pattern.
    // biome-ignore lint/correctness/noEmptyPattern: it uses none
    async ({}, use) => {
      const environment = await SandboxEnvironment.create(address ?? addressOfVariables(), [])
      await use(environment)
      await environment.delete()
    },
    { scope: 'worker' },
  ]
}

function addressOfVariables(): SandboxAddress {
  const { PI_BASE_URL: baseUrl, PI_ADMIN_TOKEN: adminToken } = process.env
  if (baseUrl && adminToken) return { baseUrl, adminToken }
  throw new TypeError(
    'sandboxFixture: PI_BASE_URL or PI_ADMIN_TOKEN is not set. Run the tests with `pi-service exec --`, or pass both.',
  )
}
