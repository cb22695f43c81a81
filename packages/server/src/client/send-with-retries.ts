/** Sends the requests of one call: the same key, the same bytes, one deadline. @module */
import { type Outcome, PiError } from './errors.ts'
import type { OperationRequest } from './operations.ts'
import type { Settings } from './options.ts'
import { type RequestSuccess, readResponse } from './read-response.ts'
import { failure, type RequestFailure } from './request-failure.ts'
import { retryDelay } from './retry.ts'

/**
 * Sends a request until it succeeds, fails for good, or reaches the deadline.
 *
 * @param deadlineAt - Compared with `performance.now()`.
 * @throws {PiError} With the outcome of all requests.
 */
export async function sendWithRetries<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  deadlineAt: number,
): Promise<RequestSuccess<T>> {
  const { maxRetries, timeout } = settings
  const outcomes: Outcome[] = []
  for (let number = 1; ; number++) {
    const ms = Math.min(timeout, deadlineAt - performance.now())
    const result = await sendOnce(operation, settings, ms)
    if ('value' in result) return result
    outcomes.push(result.outcome)
    const wait = retryDelay(number, Math.random(), result.retryAfter)
    // A wait beyond the deadline would only delay the error.
    const isLate = performance.now() + wait >= deadlineAt
    if (!result.retryable || number > maxRetries || isLate) {
      throw callError(operation, result, outcomes)
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/**
 * Sends one request. The timer does not rely on the transport: a stalled body can ignore an abort if the request was
 * garbage-collected.
 */
async function sendOnce<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  ms: number,
): Promise<RequestSuccess<T> | RequestFailure> {
  const late = { code: 'timed_out', retryable: true } as const
  const event = `got no complete response within ${Math.max(0, Math.round(ms))} ms`
  if (ms <= 0) return failure({ ...late, event, outcome: 'not_sent' })
  const stopping = new AbortController()
  const { url, request } = operation
  const response = settings.send(url, { ...request, signal: stopping.signal })
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(), ms)
  })
  const result = await Promise.race([readResponse(operation, settings, response), timeout])
  clearTimeout(timer)
  if (result) return result
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
