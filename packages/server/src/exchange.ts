/**
 * One call with all its attempts: same key, same bytes, one deadline, and a way to give up.
 *
 * @module
 */
import { type Answer, type Call, type Fault, readAnswer, timeoutFault } from './answer.ts'
import {
  AbortedError,
  ApiError,
  type Attempt,
  ConnectionError,
  ContractError,
  foldOutcomes,
  IdempotencyConflictError,
  type Outcome,
  type PiError,
  type PiErrorFacts,
} from './errors.ts'
import type { Policy } from './policy.ts'
import { retryDelay } from './retry.ts'

/** A call under way. Several callers may wait for it; when the last one leaves, it stops. */
export class Exchange<T> {
  readonly #call: Call<T>
  readonly #policy: Policy
  readonly #due: number
  readonly #attempts: Attempt[] = []
  readonly #outcomes: Outcome[] = []
  readonly #result: Promise<Answer<T>>
  #sending = false
  #waiting = 0
  #stopped = false
  #stopStep: (() => void) | undefined

  /** Starts at once. `due` is the moment, by the policy's clock, that no attempt outlives. */
  constructor(call: Call<T>, policy: Policy, due: number) {
    this.#call = call
    this.#policy = policy
    this.#due = due
    this.#result = this.#run()
  }

  /** Whether its last caller left: it answers nobody any more. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Resolves at the end, whatever it is. */
  get ended(): Promise<void> {
    return this.#result.then(nothing, nothing)
  }

  /** Settles with the answer. A caller's own signal or earlier deadline ends its waiting alone. */
  async wait(due: number, signal: AbortSignal | undefined): Promise<Answer<T>> {
    this.#waiting++
    // The exchange keeps the deadline of the caller that began it.
    if (!signal && due >= this.#due) return this.#result
    return new Promise((resolve, reject) => {
      const leave = (error: PiError): void => {
        cleanUp()
        reject(error)
        this.#waiting--
        if (this.#waiting === 0) this.#stop()
      }
      const abort = (): void => leave(this.#aborted(signal?.reason))
      const timer =
        due < this.#due
          ? setTimeout(() => leave(this.#overdue()), due - this.#policy.clock())
          : undefined
      const cleanUp = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#result.finally(cleanUp).then(resolve, reject)
    })
  }

  async #run(): Promise<Answer<T>> {
    const { attempts, clock, random } = this.#policy
    for (let number = 1; ; number++) {
      const began = clock()
      const result = await this.#attempt(Math.min(this.#policy.timeout, this.#due - began))
      const ms = Math.round(clock() - began)
      if ('value' in result) {
        this.#record({ status: result.status, code: undefined, requestId: result.requestId, ms })
        this.#report(number, undefined)
        return result
      }
      this.#outcomes.push(result.outcome)
      const { status, seen: code, requestId } = result
      this.#record({ status, code, requestId, ms })
      const wait = retryDelay(number, random(), result.retryAfter)
      // A wait that would pass the deadline only delays the news.
      const last = !result.transient || number >= attempts || clock() + wait >= this.#due
      this.#report(number, last || this.#stopped ? undefined : wait)
      if (last || this.#stopped) throw this.#failed(result)
      await this.#pause(wait)
      if (this.#stopped) throw this.#failed(result)
    }
  }

  /**
   * Runs one attempt under its timeout.
   *
   * The whole of it is raced: a stalled body can outlive its abort when the request was collected.
   */
  #attempt(ms: number): Promise<Answer<T> | Fault> {
    if (ms <= 0) return Promise.resolve({ ...timeoutFault(0), outcome: 'not_sent' })
    const { send, clock } = this.#policy
    const { url, outgoing } = this.#call
    this.#sending = true
    return new Promise((resolve) => {
      const settle = (result: Answer<T> | Fault): void => {
        clearTimeout(timer)
        this.#sending = false
        this.#stopStep = undefined
        resolve(result)
      }
      const cut = (): void => {
        settle(timeoutFault(Math.round(ms)))
        sending.stop()
      }
      const timer = setTimeout(cut, ms)
      this.#stopStep = cut
      const sending = send(url, outgoing)
      void readAnswer(this.#call, { reply: sending.reply, now: clock }).then(settle)
    })
  }

  async #pause(ms: number): Promise<void> {
    const controller = new AbortController()
    this.#stopStep = () => controller.abort()
    await this.#policy.sleep(ms, controller.signal).catch((error: unknown) => {
      if (!this.#stopped) throw error
    })
    this.#stopStep = undefined
  }

  #stop(): void {
    this.#stopped = true
    this.#stopStep?.()
  }

  #record(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  #report(number: number, retryIn: number | undefined): void {
    const attempt = this.#attempts.at(-1)
    if (!attempt) return
    const { operation, idempotencyKey } = this.#call
    this.#policy.report({ operation, number, idempotencyKey, ...attempt, retryIn })
  }

  #failed(fault: Fault): PiError {
    const facts = {
      ...this.#facts(),
      code: fault.code,
      retryable: fault.transient,
      status: fault.status,
      requestId: fault.requestId,
      errors: fault.errors,
      cause: fault.cause,
    }
    const message = this.#message(fault.event, facts.outcome)
    if (fault.code === 'idempotency_key_reused') return new IdempotencyConflictError(message, facts)
    if (fault.kind === 'connection') return new ConnectionError(message, facts)
    return fault.kind === 'contract'
      ? new ContractError(message, facts)
      : new ApiError(message, facts)
  }

  #aborted(cause: unknown): PiError {
    const facts = { ...this.#facts(), code: 'aborted', retryable: true, cause } as const
    return new AbortedError(this.#message('was aborted by its caller', facts.outcome), facts)
  }

  #overdue(): PiError {
    const facts = { ...this.#facts(), code: 'timed_out', retryable: true } as const
    return new ConnectionError(this.#message('passed its deadline', facts.outcome), facts)
  }

  #facts(): Pick<PiErrorFacts, 'outcome' | 'attempts' | 'idempotencyKey'> {
    const outcomes = this.#sending ? [...this.#outcomes, 'unknown' as const] : this.#outcomes
    const { idempotencyKey } = this.#call
    return { outcome: foldOutcomes(outcomes), attempts: [...this.#attempts], idempotencyKey }
  }

  #message(event: string, outcome: Outcome): string {
    const { operation, title } = this.#call
    const tries = this.#attempts.length > 1 ? ` (attempt ${this.#attempts.length})` : ''
    const after = operation === 'create' ? `; ${outcomeWords[outcome]}` : ''
    return `${title} ${event}${tries}${after}`
  }
}

function nothing(): void {}

const outcomeWords: Readonly<Record<Outcome, string>> = {
  not_sent: 'nothing was sent',
  rejected: 'no intent was made',
  unknown: 'an intent may exist: the same call again finds it',
}
