/** Sends the requests of one call: the same key, the same bytes, one deadline. @module */
import { onAbort } from './abort.ts'
import {
  combineOutcomes,
  type Outcome,
  PiError,
  type PiErrorFacts,
  type RequestSummary,
} from './errors.ts'
import type { OperationRequest } from './operations.ts'
import type { ClientSettings } from './options.ts'
import { type RequestSuccess, readResponse } from './read-response.ts'
import { interruptedFailure, type RequestFailure } from './request-failure.ts'
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
  settings: ClientSettings,
  limits: CallLimits,
): Promise<RequestSuccess<T>> {
  const { maxRetries, timeout } = settings
  const { deadlineAt, signal } = limits
  const { idempotencyKey } = operation
  const requests: RequestSummary[] = []
  const outcomes: Outcome[] = []
  const assertNotAborted = (): void => {
    if (!signal?.aborted) return
    const event = 'was aborted by its caller'
    const facts = { code: 'aborted', event, retryable: true, cause: signal.reason } as const
    throw callError(operation, { ...facts, requests, outcomes })
  }
  for (let number = 1; ; number++) {
    assertNotAborted()
    const startedAt = performance.now()
    const ms = Math.min(timeout, deadlineAt - startedAt)
    const result = await sendOnce(operation, settings, { ms, signal })
    const failure = 'value' in result ? undefined : result
    const wait = retryDelay(number, Math.random(), failure?.retryAfter)
    // A wait beyond the deadline would only delay the error.
    const isLast =
      !failure?.transient ||
      number > maxRetries ||
      signal?.aborted === true ||
      performance.now() + wait >= deadlineAt
    const request = {
      status: result.status,
      code: failure?.reported,
      requestId: result.requestId,
      ms: Math.round(performance.now() - startedAt),
    }
    requests.push(request)
    settings.report({
      operation: operation.operation,
      number,
      idempotencyKey,
      ...request,
      retryIn: isLast ? undefined : wait,
    })
    if ('value' in result) return result
    outcomes.push(result.outcome)
    assertNotAborted()
    if (isLast) {
      throw callError(operation, { ...result, retryable: result.transient, requests, outcomes })
    }
    await pause(wait, signal)
  }
}

/**
 * Sends one request. The timer does not rely on the transport: a stalled body can ignore an abort if the request was
 * garbage-collected.
 */
async function sendOnce<T>(
  operation: OperationRequest<T>,
  { send }: ClientSettings,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
): Promise<RequestSuccess<T> | RequestFailure> {
  if (ms <= 0) return { ...interruptedFailure('timed_out', 0), outcome: 'not_sent' }
  const call = send(operation.url, operation.request)
  return new Promise((resolve) => {
    const finish = (result: RequestSuccess<T> | RequestFailure): void => {
      clearTimeout(timer)
      ignoreAbort()
      resolve(result)
    }
    const interrupt = (reported: 'timed_out' | 'aborted'): void => {
      finish(interruptedFailure(reported, Math.round(ms)))
      call.stop()
    }
    const timer = setTimeout(() => interrupt('timed_out'), ms)
    const ignoreAbort = onAbort(signal, () => interrupt('aborted'))
    void readResponse(operation, call.response).then(finish)
  })
}

/** Resolves after the wait, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      ignoreAbort()
      resolve()
    }
    const timer = setTimeout(end, ms)
    const ignoreAbort = onAbort(signal, end)
  })
}

interface CallFailure extends Omit<PiErrorFacts, 'outcome' | 'idempotencyKey'> {
  /** What happened, to follow the title of the operation. */
  readonly event: string
  /** Of all requests. */
  readonly outcomes: readonly Outcome[]
}

function callError(
  { operation, title, idempotencyKey }: OperationRequest<unknown>,
  { event, outcomes, ...facts }: CallFailure,
): PiError {
  const outcome = combineOutcomes(outcomes)
  const { length } = facts.requests
  const number = length > 1 ? ` (request ${length})` : ''
  const consequence = operation === 'create' ? `; ${consequences[outcome]}` : ''
  const message = `${title} ${event}${number}${consequence}`
  return new PiError(message, { ...facts, outcome, idempotencyKey })
}

const consequences: Readonly<Record<Outcome, string>> = {
  not_sent: 'nothing was sent',
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}
