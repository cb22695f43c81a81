/** Client of the sandbox's control API, for one test environment. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import type { LintIssue, ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'

/** A running service. */
export interface SandboxAddress {
  /** Address of the API, as in `PI_BASE_URL`. */
  readonly baseUrl: string
  /** Bearer token of the control API, as in `PI_ADMIN_TOKEN`. */
  readonly adminToken: string
}

/** A test environment with its own key, intents, clock, origins, and faults. */
export class SandboxEnvironment {
  /** Id of the environment. */
  readonly id: string
  /** Test key, for `PI_API_KEY`. */
  readonly apiKey: string
  readonly #address: SandboxAddress

  private constructor(
    address: SandboxAddress,
    { id, apiKey }: Pick<SandboxEnvironment, 'id' | 'apiKey'>,
  ) {
    this.#address = address
    this.id = id
    this.apiKey = apiKey
  }

  /**
   * Creates an environment.
   *
   * @param address - The service.
   * @param origins - Origins whose pages may show the checkout.
   * @throws {Error} If the service cannot be reached, or rejects the token.
   */
  static async create(
    address: SandboxAddress,
    origins: readonly string[],
  ): Promise<SandboxEnvironment> {
    return new SandboxEnvironment(address, await send(address, 'POST /environments', { origins }))
  }

  /** Deletes the environment with its key and intents. */
  async delete(): Promise<void> {
    await this.#send('DELETE ')
  }

  /** Registers an origin whose pages may show the checkout. */
  async addOrigin(origin: string): Promise<void> {
    await this.#send('POST /origins', { origin })
  }

  /** Advances the environment's clock, in milliseconds. Deadlines pass. */
  async advance(milliseconds: number): Promise<void> {
    await this.#send('PUT /clock', { advance: milliseconds })
  }

  /**
   * Adds a fault for the next requests of the merchant's server.
   *
   * @param on - The operation.
   * @param fault - Such as `drop-after-commit` or `delay=500`.
   * @param times - Number of requests.
   */
  async addFault(on: 'create' | 'retrieve', fault: string, times = 1): Promise<void> {
    await this.#send('POST /faults', { on, do: fault, times })
  }

  /** Removes the faults that have not been used. */
  async clearFaults(): Promise<void> {
    await this.#send('DELETE /faults')
  }

  /** Returns the newest 100 intents, newest first. */
  async intents(): Promise<readonly PaymentIntent[]> {
    return (await this.#send<{ intents: PaymentIntent[] }>('GET /intents')).intents
  }

  /** Returns an intent. */
  async intent(id: string): Promise<PaymentIntent> {
    return (await send<ShownIntent>(this.#address, `GET /intents/${id}`)).intent
  }

  /** Simulates an outcome of an intent. */
  async settle(id: string, outcome: SimulatedOutcome): Promise<void> {
    await send(this.#address, `POST /intents/${id}/settle`, { outcome })
  }

  /** Returns the rules of the sandbox's lint that requests have broken, such as `secret_in_url`. */
  async brokenRules(): Promise<readonly string[]> {
    const { findings } = await this.#send<{ findings: LintIssue[] }>('GET /lint')
    return findings.map(({ rule }) => rule)
  }

  async #send<T>(route: string, body?: object): Promise<T> {
    return await send(this.#address, route.replace(' ', ` /environments/${this.id}`), body)
  }
}

/** @param route - Method and path below `/_sandbox`. */
async function send<T>(
  { baseUrl, adminToken }: SandboxAddress,
  route: string,
  body?: object,
): Promise<T> {
  const [method = '', path = ''] = route.split(' ')
  const authorization = `Bearer ${adminToken}`
  const json = body && { 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/_sandbox${path}`, {
    method,
    headers: { authorization, ...json },
    body: body ? JSON.stringify(body) : null,
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  throw new Error(`The sandbox returned ${response.status} to ${route}: ${text}`)
}
