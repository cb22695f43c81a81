/** Sends the requests of one call: the same key, the same bytes, one deadline. @module */
import { type Outcome, PiError } from './errors.ts'
import type { OperationRequest } from './operations.ts'
import type { Settings } from './options.ts'
import { type RequestSuccess, readResponse } from './read-response.ts'
import { failure, type RequestFailure } from './request-failure.ts'
import { retryDelay } from './retry.ts'

export interface CallLimits {
  /** Compared with `performance.now()`. */
  readonly deadlineAt: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a request until it succeeds, fails for good, reaches the deadline, or is aborted.
 *
 * @throws {PiError} With the outcome of all requests.
 */
export async function sendWithRetries<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  { deadlineAt, signal }: CallLimits,
): Promise<RequestSuccess<T>> {
  const { maxRetries, timeout } = settings
  const outcomes: Outcome[] = []
  const assertNotAborted = (): void => {
    if (!signal?.aborted) return
    const event = 'was aborted by its caller'
    const aborted = failure({ code: 'aborted', event, retryable: true, cause: signal.reason })
    throw callError(operation, aborted, outcomes)
  }
  for (let number = 1; ; number++) {
    assertNotAborted()
    const ms = Math.min(timeout, deadlineAt - performance.now())
    const result = await sendOnce(operation, settings, { ms, signal })
    if ('value' in result) return result
    outcomes.push(result.outcome)
    assertNotAborted()
    const wait = retryDelay(number, Math.random(), result.retryAfter)
    // A wait beyond the deadline would only delay the error.
    const isLate = performance.now() + wait >= deadlineAt
    if (!result.retryable || number > maxRetries || isLate) {
      throw callError(operation, result, outcomes)
    }
    await race(new Promise(() => {}), wait, signal)
  }
}

/**
 * Sends one request. The timer does not rely on the transport: a stalled body can ignore an abort if the request was
 * garbage-collected.
 */
async function sendOnce<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
): Promise<RequestSuccess<T> | RequestFailure> {
  const late = { code: 'timed_out', retryable: true } as const
  const event = `got no complete response within ${Math.max(0, Math.round(ms))} ms`
  if (ms <= 0) return failure({ ...late, event, outcome: 'not_sent' })
  const stopping = new AbortController()
  const { url, request } = operation
  const response = settings.send(url, { ...request, signal: stopping.signal })
  const result = await race(readResponse(operation, settings, response), ms, signal)
  if (typeof result === 'object') return result
  stopping.abort()
  return failure({ ...late, event })
}

/** Returns the error of a call whose requests have these outcomes. */
function callError(
  { operation, title, idempotencyKey }: OperationRequest<unknown>,
  { event, ...facts }: RequestFailure,
  outcomes: readonly Outcome[],
): PiError {
  // One lost response makes the call unknown.
  const worst = (['unknown', 'rejected'] as const).find((outcome) => outcomes.includes(outcome))
  const outcome = worst ?? 'not_sent'
  const number = outcomes.length > 1 ? ` (request ${outcomes.length})` : ''
  const consequence = operation === 'create' ? `; ${consequences[outcome]}` : ''
  const message = `${title} ${event}${number}${consequence}`
  return new PiError(message, { ...facts, outcome, idempotencyKey })
}

const consequences: Readonly<Record<Outcome, string>> = {
  not_sent: 'nothing was sent',
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}

/**
 * Resolves with a result, or with what comes before it: the end of a time, or the abort of a signal. It leaves neither a timer
 * nor a listener.
 *
 * @param result - Does not reject.
 */
function race<T>(
  result: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | 'timed_out' | 'aborted'> {
  return new Promise((resolve) => {
    const end = (value: T | 'timed_out' | 'aborted'): void => {
      clearTimeout(timer)
      ignoreAbort()
      resolve(value)
    }
    const timer = setTimeout(() => end('timed_out'), ms)
    const ignoreAbort = onAbort(signal, () => end('aborted'))
    void result.then(end)
  })
}

// One listener for each signal: Node.js warns of a leak if a signal has more than ten, and one may end many calls.
const waiting = new WeakMap<object, Set<() => void>>()

/** Calls a function when a signal is aborted. Returns a function that stops it. */
function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return () => {}
  const calls = waiting.get(signal) ?? new Set()
  waiting.set(signal, calls.add(call))
  // The same function again is no second listener.
  signal.addEventListener('abort', callAll)
  return () => {
    calls.delete(call)
    if (calls.size === 0) signal.removeEventListener('abort', callAll)
  }
}

function callAll(this: AbortSignal): void {
  for (const call of waiting.get(this) ?? []) call()
}
