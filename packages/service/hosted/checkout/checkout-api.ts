/**
 * The hosted page's private API: the session token lives here, in memory, and nowhere else.
 *
 * Each request has a deadline. A session that has ended is renewed, and the request is sent again.
 *
 * @module
 */
import type {
  ChallengeTicket,
  CheckoutView,
  ConfirmBody,
  OpenSessionBody,
  SessionGrant,
} from '../../shared/checkout-api.ts'

/** A response with an error status, of the service or of something on the way to it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** `unknown` when the body names no code, which the service always does. */
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

/**
 * Tells whether the service itself rejected a request for good. After every other failure nothing is
 * known: the service may have done what was asked.
 */
export function isRefusal(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem) || error.code === 'unknown') return false
  return error.status < 500 && error.code !== 'invalid_session'
}

export class CheckoutApi {
  readonly #renew: () => Promise<unknown>
  #renewal: Promise<unknown> | undefined
  #token = ''

  /** @param renew Opens a new session in place of the one that has ended. */
  constructor(renew: () => Promise<unknown>) {
    this.#renew = renew
  }

  /** Trades the secret for a session. */
  async open(request: OpenSessionBody, signal?: AbortSignal): Promise<CheckoutView> {
    const session = await this.#fetch('session', post(request, signal))
    // The service vouches for the rest of each shape; both sides are built from one source.
    const { token, intent } = session as SessionGrant
    if (typeof token !== 'string') throw new TypeError('session: has no token')
    this.#token = token
    return readView(intent)
  }

  /** The intent now, or as soon as it has reached a version: the service waits up to 25 seconds. */
  async intent(waitForVersion?: number, signal?: AbortSignal): Promise<CheckoutView> {
    if (waitForVersion === undefined) return readView(await this.#send('intent', { signal }))
    const path = `intent?waitForVersion=${waitForVersion}`
    return readView(await this.#send(path, { signal, deadline: longestPoll }))
  }

  async confirm(request: ConfirmBody, signal?: AbortSignal): Promise<CheckoutView> {
    return readView(await this.#send('confirm', post(request, signal)))
  }

  /** A one-time token for the issuer's page. */
  async openChallenge(
    body: { readonly returnUrl?: string },
    signal?: AbortSignal,
  ): Promise<ChallengeTicket> {
    const ticket = (await this.#send('challenge/open', post(body, signal))) as ChallengeTicket
    if (typeof ticket?.token !== 'string') throw new TypeError('ticket: has no token')
    return ticket
  }

  async cancelChallenge(signal?: AbortSignal): Promise<CheckoutView> {
    return readView(await this.#send('challenge/cancel', post({}, signal)))
  }

  async cancel(signal?: AbortSignal): Promise<CheckoutView> {
    return readView(await this.#send('cancel', post({}, signal)))
  }

  async #send(path: string, options: Options): Promise<unknown> {
    const token = this.#token
    try {
      return await this.#fetch(path, options)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'invalid_session') throw error
    }
    // One renewal serves every request that the ended session failed.
    if (this.#token === token) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined
      })
      await this.#renewal
    }
    return await this.#fetch(path, options)
  }

  async #fetch(path: string, { body, signal, deadline = longestWait }: Options): Promise<unknown> {
    const headers = new Headers()
    if (this.#token) headers.set('authorization', `Bearer ${this.#token}`)
    if (body) headers.set('content-type', 'application/json')
    // Not `AbortSignal.any`, which Safari 16 does not have.
    const end = new AbortController()
    const abort = (): void => end.abort()
    const timer = setTimeout(abort, deadline)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      const response = await fetch(`/checkout-api/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers,
        credentials: 'omit',
        signal: end.signal,
      })
      if (response.ok) return await response.json()
      throw readProblem(response.status, await response.json().catch(() => undefined))
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/** Milliseconds until a request without a response counts as lost. */
const longestWait = 10_000
/** The same for a long poll, which the service holds for 25 seconds. */
const longestPoll = 30_000

interface Options {
  /** Makes it a POST. */
  readonly body?: object
  readonly signal?: AbortSignal | undefined
  readonly deadline?: number
}

function post(body: object, signal: AbortSignal | undefined): Options {
  return { body, signal }
}

/** Networks with a sign-in page answer for the service: what is no view is no answer. */
function readView(answer: unknown): CheckoutView {
  const view = answer as CheckoutView | undefined
  if (Number.isInteger(view?.version) && typeof view?.status === 'string') return view
  throw new TypeError('view: is no view of an intent')
}

function readProblem(status: number, answer: unknown): ApiProblem {
  const { code, errors } = (answer ?? {}) as { code?: unknown; errors?: { pointer?: unknown }[] }
  const pointers = Array.isArray(errors) ? errors.map(({ pointer }) => String(pointer)) : []
  return new ApiProblem({ status, code: typeof code === 'string' ? code : 'unknown', pointers })
}
