/** Client of the sandbox API. @module */
import type { Problem } from '@pi-checkout/contract'

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

export class SandboxClient {
  readonly token: string

  constructor(token: string) {
    this.token = token
  }

  async send<Body>(
    method: Method,
    path: string,
    { body, signal }: { readonly body?: unknown; readonly signal: AbortSignal },
  ): Promise<Body> {
    const headers = new Headers({ authorization: `Bearer ${this.token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`/_sandbox${path}`, { method, headers, signal, ...content })
    // The service is of the same build.
    if (response.ok) return (await response.json()) as Body
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new SandboxApiError(response.status, detail ?? `The service returned ${response.status}.`)
  }

  /** Reads what may not exist: `null` then. */
  async get<Body>(path: string, signal: AbortSignal): Promise<Body | null> {
    try {
      return await this.send<Body>('GET', path, { signal })
    } catch (error) {
      if (error instanceof SandboxApiError && error.status === 404) return null
      throw error
    }
  }
}
