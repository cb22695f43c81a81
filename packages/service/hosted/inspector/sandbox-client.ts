/** Client of the sandbox API. @module */
import type { Problem } from '@pi-checkout/contract'
import type {
  IntentPage,
  LintIssue,
  LoggedRequest,
  RequestList,
  StoredFaultRule,
} from '../../shared/sandbox-api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The service rejected a request. `message` is shown to the user. */
export class SandboxApiError extends Error {
  override readonly name = 'SandboxApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns whether a request was rejected because of its token. */
export function isUnknownToken(error: unknown): boolean {
  return error instanceof SandboxApiError && error.status === 401
}

export const tokenUnknown =
  'This token is not valid. Each start of the service creates a new one: open the link that the running service printed.'

export function messageOf(error: unknown): string {
  return error instanceof SandboxApiError ? error.message : 'The service did not respond.'
}

/** The lists of one environment, by the section that shows one, which is its path in the sandbox API. */
export interface Lists {
  readonly intents: IntentPage
  readonly requests: RequestList
  readonly lint: { readonly findings: readonly LintIssue[] }
  readonly faults: {
    readonly rules: readonly StoredFaultRule[]
    /** The newest requests that a fault changed. */
    readonly requests: readonly LoggedRequest[]
  }
}

export class SandboxApi {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  async send<Body>(
    method: Method,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Body> {
    const response = await fetch(`/_sandbox${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    // The service is of the same build.
    if (response.ok) return (await response.json()) as Body
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new SandboxApiError(response.status, detail ?? `The service returned ${response.status}.`)
  }

  async read<Body>(path: string, signal: AbortSignal): Promise<Body> {
    return await this.send('GET', path, undefined, signal)
  }

  /** Reads what may not exist: `undefined` then. */
  async find<Body>(path: string, signal: AbortSignal): Promise<Body | undefined> {
    try {
      return await this.read<Body>(path, signal)
    } catch (error) {
      if (error instanceof SandboxApiError && error.status === 404) return undefined
      throw error
    }
  }
}

/** Returns a query string without empty values. */
export function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value)
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}
