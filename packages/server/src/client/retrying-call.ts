/** One call with all its requests: the same key, the same bytes, one deadline. @module */
import {
  AbortedError,
  ApiError,
  ConnectionError,
  ContractError,
  combineOutcomes,
  IdempotencyConflictError,
  type Outcome,
  type PiError,
  type PiErrorFacts,
  type RequestSummary,
} from './errors.ts'
import type { OperationRequest } from './operations.ts'
import type { ClientSettings } from './options.ts'
import {
  type RequestFailure,
  type RequestSuccess,
  readResponse,
  timeoutFailure,
} from './read-response.ts'
import { retryDelay } from './retry.ts'

/** A call in progress. Several callers can wait for it. It stops when the last one leaves. */
export class RetryingCall<T> {
  readonly #operation: OperationRequest<T>
  readonly #settings: ClientSettings
  readonly #deadlineAt: number
  readonly #requests: RequestSummary[] = []
  readonly #outcomes: Outcome[] = []
  readonly #result: Promise<RequestSuccess<T>>
  #sending = false
  #waiting = 0
  #stopped = false
  #stopStep: (() => void) | undefined

  /** Starts the call. `deadlineAt` is a time of the client's clock. */
  constructor(operation: OperationRequest<T>, settings: ClientSettings, deadlineAt: number) {
    this.#operation = operation
    this.#settings = settings
    this.#deadlineAt = deadlineAt
    this.#result = this.#run()
  }

  /** Whether the last caller left. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Resolves when the call ends, with or without a result. */
  get ended(): Promise<void> {
    return this.#result.then(
      () => {},
      () => {},
    )
  }

  /** Waits for the result. A caller's signal or earlier deadline ends only that caller's wait. */
  async wait(deadlineAt: number, signal: AbortSignal | undefined): Promise<RequestSuccess<T>> {
    this.#waiting++
    if (!signal && deadlineAt >= this.#deadlineAt) return this.#result
    return new Promise((resolve, reject) => {
      const leave = (error: PiError): void => {
        cleanUp()
        reject(error)
        this.#waiting--
        if (this.#waiting === 0) this.#stop()
      }
      const abort = (): void => leave(this.#abortedError(signal?.reason))
      const timer =
        deadlineAt < this.#deadlineAt
          ? setTimeout(() => leave(this.#timeoutError()), deadlineAt - this.#settings.clock())
          : undefined
      const cleanUp = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      signal?.addEventListener('abort', abort)
      this.#result.finally(cleanUp).then(resolve, reject)
    })
  }

  async #run(): Promise<RequestSuccess<T>> {
    const { maxRetries, clock, random, timeout } = this.#settings
    for (let number = 1; ; number++) {
      const startedAt = clock()
      const result = await this.#request(Math.min(timeout, this.#deadlineAt - startedAt))
      const ms = Math.round(clock() - startedAt)
      const { status, requestId } = result
      if ('value' in result) {
        this.#report({ number, status, code: undefined, requestId, ms, retryIn: undefined })
        return result
      }
      this.#outcomes.push(result.outcome)
      const wait = retryDelay(number, random(), result.retryAfter)
      // A wait beyond the deadline would only delay the error.
      const isLast =
        this.#stopped ||
        !result.transient ||
        number > maxRetries ||
        clock() + wait >= this.#deadlineAt
      const retryIn = isLast ? undefined : wait
      this.#report({ number, status, code: result.reported, requestId, ms, retryIn })
      if (!isLast) await this.#pause(wait)
      if (isLast || this.#stopped) throw this.#errorOf(result)
    }
  }

  /**
   * Runs one request under its timeout. The timer does not rely on the transport: a stalled body can ignore an abort if
   * the request was garbage-collected.
   */
  async #request(ms: number): Promise<RequestSuccess<T> | RequestFailure> {
    if (ms <= 0) return { ...timeoutFailure(0), outcome: 'not_sent' }
    const { send, clock } = this.#settings
    const call = send(this.#operation.url, this.#operation.request)
    this.#sending = true
    return new Promise((resolve) => {
      const finish = (result: RequestSuccess<T> | RequestFailure): void => {
        clearTimeout(timer)
        this.#sending = false
        this.#stopStep = undefined
        resolve(result)
      }
      const cut = (): void => {
        finish(timeoutFailure(Math.round(ms)))
        call.stop()
      }
      const timer = setTimeout(cut, ms)
      this.#stopStep = cut
      void readResponse(this.#operation, { response: call.response, now: clock }).then(finish)
    })
  }

  async #pause(ms: number): Promise<void> {
    const controller = new AbortController()
    this.#stopStep = () => controller.abort()
    await this.#settings.sleep(ms, controller.signal).catch((error: unknown) => {
      if (!this.#stopped) throw error
    })
    this.#stopStep = undefined
  }

  #stop(): void {
    this.#stopped = true
    this.#stopStep?.()
  }

  #report({
    number,
    retryIn,
    ...request
  }: RequestSummary & { readonly number: number; readonly retryIn: number | undefined }): void {
    this.#requests.push(request)
    const { operation, idempotencyKey } = this.#operation
    this.#settings.report({ operation, number, idempotencyKey, ...request, retryIn })
  }

  #errorOf(failure: RequestFailure): PiError {
    const common = { ...this.#facts(), retryable: failure.transient }
    const message = this.#message(failure.event, common.outcome)
    if (failure.kind === 'connection') {
      return new ConnectionError(message, { ...failure, ...common })
    }
    if (failure.kind === 'contract') return new ContractError(message, { ...failure, ...common })
    const { code } = failure
    return code === 'idempotency_key_reused'
      ? new IdempotencyConflictError(message, { ...failure, ...common, code })
      : new ApiError(message, { ...failure, ...common, code })
  }

  #abortedError(cause: unknown): PiError {
    const facts = { ...this.#facts(), code: 'aborted', retryable: true, cause } as const
    return new AbortedError(this.#message('was aborted by its caller', facts.outcome), facts)
  }

  #timeoutError(): PiError {
    const facts = { ...this.#facts(), code: 'timed_out', retryable: true } as const
    return new ConnectionError(this.#message('exceeded its total timeout', facts.outcome), facts)
  }

  #facts(): Pick<PiErrorFacts, 'outcome' | 'requests' | 'idempotencyKey'> {
    const outcomes = this.#sending ? [...this.#outcomes, 'unknown' as const] : this.#outcomes
    const { idempotencyKey } = this.#operation
    return { outcome: combineOutcomes(outcomes), requests: [...this.#requests], idempotencyKey }
  }

  #message(event: string, outcome: Outcome): string {
    const { operation, title } = this.#operation
    const number = this.#requests.length > 1 ? ` (request ${this.#requests.length})` : ''
    const consequence = operation === 'create' ? `; ${consequences[outcome]}` : ''
    return `${title} ${event}${number}${consequence}`
  }
}

const consequences: Readonly<Record<Outcome, string>> = {
  not_sent: 'nothing was sent',
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}
