/** Client of the private API. The session token stays in memory, and an expired session is renewed once. @module */
import type { Problem } from '@pi-checkout/contract'
import type {
  ChallengeTicket,
  CheckoutView,
  OpenSessionBody,
  SessionGrant,
} from '../../shared/checkout-api.ts'

/** A response with an error status, from the service or from a proxy. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** `unknown` if the body has no code. The service always sends one. */
  readonly code: string
  /** RFC 6901 pointers of the invalid fields. */
  readonly pointers: readonly string[]

  constructor(status: number, { code, errors = [] }: Partial<Problem>) {
    super(`request rejected with ${status} ${code}`)
    // A firewall sends any JSON.
    const isOwn = typeof code === 'string' && Array.isArray(errors)
    this.status = status
    this.code = isOwn ? code : 'unknown'
    this.pointers = isOwn ? errors.map(({ pointer }) => pointer) : []
  }
}

/** Whether the service itself rejected a request. After every other failure it may have been committed. */
export function isRejection(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem) || error.code === 'unknown') return false
  return error.status < 500 && error.code !== 'invalid_session'
}

/** What opens a session. A full page has a cookie in place of the secret. */
export type OpenSession = OpenSessionBody | Pick<OpenSessionBody, 'id'>

/** What changes the intent. */
export type ChangePath = 'confirm' | 'cancel' | 'challenge/cancel'

export class CheckoutApi {
  readonly #renew: () => Promise<unknown>
  #renewal: Promise<unknown> | undefined
  #token = ''

  /** @param renew - Opens a new session after the current one has expired. */
  constructor(renew: () => Promise<unknown>) {
    this.#renew = renew
  }

  async open(request: OpenSession, signal?: AbortSignal): Promise<CheckoutView> {
    const path = 'origin' in request ? '/checkout-api/session' : `/checkout/${request.id}/session`
    const body = 'origin' in request ? request : {}
    const session = await this.#fetch(path, { body, signal })
    const { token, intent } = session as SessionGrant
    if (typeof token !== 'string') throw new TypeError('session: has no token')
    this.#token = token
    return readView(intent)
  }

  /** Returns the view, or waits for some minutes until it has reached a version. */
  async intent(waitForVersion?: number, signal?: AbortSignal): Promise<CheckoutView> {
    if (waitForVersion === undefined) return readView(await this.#send('intent', { signal }))
    const path = `intent?waitForVersion=${waitForVersion}`
    return readView(await this.#send(path, { signal, isLongPoll: true }))
  }

  /** @param body - Of a confirmation: `ConfirmBody`. */
  async change(path: ChangePath, body: object, signal: AbortSignal): Promise<CheckoutView> {
    return readView(await this.#send(path, { body, signal }))
  }

  /** Creates a one-time token for the issuer's page. */
  async openChallenge(
    body: { readonly returnUrl?: string },
    signal?: AbortSignal,
  ): Promise<ChallengeTicket> {
    const ticket = (await this.#send('challenge/open', { body, signal })) as ChallengeTicket
    if (typeof ticket?.token !== 'string') throw new TypeError('ticket: has no token')
    return ticket
  }

  async #send(path: string, options: Options): Promise<unknown> {
    const token = this.#token
    const url = `/checkout-api/${path}`
    try {
      return await this.#fetch(url, options)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'invalid_session') throw error
    }
    // One renewal serves all requests that failed with this token.
    if (this.#token === token) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined
      })
      await this.#renewal
    }
    return await this.#fetch(url, options)
  }

  async #fetch(url: string, { body, signal, isLongPoll = false }: Options): Promise<unknown> {
    const headers = new Headers()
    if (this.#token) headers.set('authorization', `Bearer ${this.#token}`)
    if (body) headers.set('content-type', 'application/json')
    // Not `AbortSignal.any`, which Safari 16 does not have.
    const end = new AbortController()
    const abort = (): void => end.abort()
    const timeout = isLongPoll ? longPollTimeout : requestTimeout
    let timer = setTimeout(abort, timeout)
    const extend = (): void => {
      clearTimeout(timer)
      timer = setTimeout(abort, timeout)
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      const response = await fetch(url, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers,
        // Not `omit`, for which browsers open another connection, and a full page has its session in a cookie.
        credentials: 'same-origin',
        signal: end.signal,
      })
      if (response.ok && isLongPoll) return await readParts(response, extend)
      if (response.ok) return await response.json()
      const problem: unknown = await response.json().catch(() => undefined)
      throw new ApiProblem(response.status, Object(problem))
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

const requestTimeout = 10_000
/** In milliseconds. During a long poll the service sends a space at least every 25 seconds. */
const longPollTimeout = 60_000

interface Options {
  /** Makes it a POST. */
  readonly body?: object
  readonly signal?: AbortSignal | undefined
  readonly isLongPoll?: boolean
}

/** Reads JSON. Calls `onPart` when a part arrives. */
async function readParts({ body }: Response, onPart: () => void): Promise<unknown> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) return JSON.parse(text)
    onPart()
    text += part.value
  }
}

/** Rejects the response of a network with a sign-in page. */
function readView(body: unknown): CheckoutView {
  const view = body as CheckoutView | undefined
  if (Number.isInteger(view?.version) && typeof view?.status === 'string') return view
  throw new TypeError('view: is not a view of an intent')
}
