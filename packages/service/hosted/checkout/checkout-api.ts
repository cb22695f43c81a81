/**
 * The hosted page's private API: the session token lives here, in memory, and nowhere else.
 *
 * @module
 */
import type {
  ChallengeTicket,
  DisplayView,
  OpenedSession,
} from '../../src/checkout/display-view.ts'

/** The service answered with a problem. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly code: string
  /** RFC 6901 pointers of the fields at fault. */
  readonly pointers: readonly string[]

  constructor({ status, code, pointers }: Pick<ApiProblem, 'status' | 'code' | 'pointers'>) {
    super(`the checkout refused with ${status} ${code}`)
    this.status = status
    this.code = code
    this.pointers = pointers
  }
}

/** A card on its way to the service. */
export interface CardDetails {
  readonly number: string
  readonly expMonth: number
  readonly expYear: number
  readonly cvc: string
  readonly holderName?: string
}

/** One press of Pay. The same `attemptId` sent again is the same attempt. */
export interface ConfirmRequest {
  readonly attemptId: string
  readonly version: number
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardDetails }
}

export class CheckoutApi {
  #token = ''

  /** Trades the secret for a session. */
  async open(pair: {
    readonly id: string
    readonly clientSecret: string
    readonly origin: string
  }): Promise<DisplayView> {
    // The service vouches for this shape; both sides are built from one source.
    const session = (await this.#post('session', pair)) as OpenedSession
    this.#token = session.token
    return session.intent
  }

  /** The intent now, or as soon as it has reached a version: the service waits up to 25 seconds. */
  async intent(waitForVersion?: number, signal?: AbortSignal): Promise<DisplayView> {
    const query = waitForVersion === undefined ? '' : `?waitForVersion=${waitForVersion}`
    return (await this.#send(`intent${query}`, signal ? { signal } : {})) as DisplayView
  }

  async confirm(request: ConfirmRequest): Promise<DisplayView> {
    return (await this.#post('confirm', request)) as DisplayView
  }

  /** A one-time token for the issuer's page. */
  async openChallenge(body: { readonly returnUrl?: string }): Promise<ChallengeTicket> {
    return (await this.#post('challenge/open', body)) as ChallengeTicket
  }

  async cancelChallenge(): Promise<DisplayView> {
    return (await this.#post('challenge/cancel', {})) as DisplayView
  }

  async cancel(): Promise<DisplayView> {
    return (await this.#post('cancel', {})) as DisplayView
  }

  #post(path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async #send(path: string, init: RequestInit): Promise<unknown> {
    const headers = new Headers(init.headers)
    if (this.#token) headers.set('authorization', `Bearer ${this.#token}`)
    const response = await fetch(`/checkout-api/${path}`, {
      ...init,
      headers,
      credentials: 'omit',
    })
    const answer: unknown = await response.json()
    if (response.ok) return answer
    throw readProblem(response.status, answer)
  }
}

function readProblem(status: number, answer: unknown): ApiProblem {
  const { code, errors } = (answer ?? {}) as { code?: unknown; errors?: { pointer?: unknown }[] }
  const pointers = Array.isArray(errors) ? errors.map(({ pointer }) => String(pointer)) : []
  return new ApiProblem({ status, code: typeof code === 'string' ? code : 'unknown', pointers })
}
