/**
 * Errors as responses (RFC 9457): thrown anywhere, mapped here, with one shape for every route.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import {
  type FieldError,
  maxFieldErrors,
  type ProblemCode,
  problemCodes,
  problemMediaType,
} from '@pi-checkout/contract'
import type { Logger } from 'pino'
import { Overloaded } from '../db/batch.ts'
import { StoreError } from '../db/database.ts'
import { logError } from '../log.ts'
import type { Call } from './call.ts'
import { jsonHeaders, send } from './response.ts'

/** A response that is an error. Its texts are for the caller: they contain no value, key or secret. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly errors: readonly FieldError[]
  readonly errorsOmitted: number
  readonly headers: Readonly<Record<string, string>>

  /**
   * @param detail What was wrong with this request, and what to do.
   * @param more `errors` for single fields, `errorsOmitted` for the number of those that it leaves out;
   * `headers` such as `retry-after`.
   */
  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly errors?: readonly FieldError[]
      readonly errorsOmitted?: number
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(detail)
    this.code = code
    this.errors = more.errors ?? []
    this.errorsOmitted = more.errorsOmitted ?? 0
    this.headers = more.headers ?? {}
  }
}

/**
 * Sends what was thrown. An error that is no problem of the request becomes `internal_error`. Every 5xx is
 * logged, here and once, under the id of its response.
 */
export function sendProblem(
  call: Call,
  {
    error,
    log,
    headers,
  }: {
    readonly error: unknown
    readonly log: Logger
    readonly headers?: Readonly<Record<string, string>> | undefined
  },
): void {
  const { request, response, requestId } = call
  const problem = problemOf(error)
  const { code } = problem
  const { status } = problemCodes[code]
  // 501 is a fault of the request.
  if (status >= 500 && status !== 501) logError(log, error, { event: code, requestId })
  if (response.headersSent) {
    response.destroy()
    return
  }
  call.problem = code
  const body = problemBody(problem, requestId, call)
  void send(call, {
    status,
    base: problemHeaders,
    headers: {
      ...headers,
      // An unread body would be taken for the next request.
      ...(hasUnreadBody(request) && { connection: 'close' }),
      ...problem.headers,
    },
    body,
  })
}

export const problemHeaders = { ...jsonHeaders, 'content-type': problemMediaType }

/**
 * Returns the body of a problem, of bounded size.
 *
 * @param facts - Gets the rejected fields that the body names.
 */
export function problemBody(
  problem: ProblemError,
  requestId: string,
  facts?: Pick<Call, 'pointers' | 'pointersOmitted'>,
): string {
  const { code, message } = problem
  const { status, title, retryable } = problemCodes[code]
  const { errors, errorsOmitted } = boundErrors(problem)
  if (facts) {
    facts.pointers = errors.map(({ pointer }) => pointer)
    facts.pointersOmitted = errorsOmitted
  }
  const detail = cutToBytes(message, maxDetailBytes)
  return JSON.stringify({
    ...{ type: `/docs#${code}`, title, status, detail, code, requestId, retryable, errors },
    ...(errorsOmitted > 0 && { errorsOmitted }),
  })
}

/** What `errors` and `detail` may take of a response, in bytes of JSON: 16 KB with everything else. */
const maxErrorsBytes = 12 * 1024
const maxDetailBytes = 2 * 1024

/** Keeps so many entries, and so many bytes of them, that the response stays small whatever the body was. */
function boundErrors({ errors, errorsOmitted }: ProblemError): {
  readonly errors: readonly FieldError[]
  readonly errorsOmitted: number
} {
  let bytes = 0
  const kept: FieldError[] = []
  for (const error of errors.slice(0, maxFieldErrors)) {
    bytes += Buffer.byteLength(JSON.stringify(error))
    if (bytes > maxErrorsBytes) break
    kept.push(error)
  }
  return { errors: kept, errorsOmitted: errorsOmitted + errors.length - kept.length }
}

/** Cuts a text so that it takes at most so many bytes as a JSON string. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= maxBytes) return text
  let bytes = 0
  let kept = ''
  for (const point of text) {
    bytes += Buffer.byteLength(JSON.stringify(point)) - 2
    if (bytes > maxBytes - 8) break
    kept += point
  }
  return `${kept}…`
}

function hasUnreadBody({ complete, headers: sent }: IncomingMessage): boolean {
  const announced = Number(sent['content-length'] ?? 0) > 0 || 'transfer-encoding' in sent
  return announced && !complete
}

/** SQLSTATE of a statement that reached its time limit, or that was canceled. */
const queryCanceled = '57014'

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof StoreError && error.code === queryCanceled) {
    return new ProblemError(
      'timeout',
      'The store did not finish in time. Send the same request again, with the same Idempotency-Key.',
      { headers: { 'retry-after': '1' } },
    )
  }
  if (error instanceof Overloaded) {
    return new ProblemError(
      'store_unavailable',
      'Too many requests wait for the store; nothing was decided. Send the same request again.',
      { headers: { 'retry-after': '1' } },
    )
  }
  if (error instanceof StoreError && error.unavailable) {
    // A connection that is cut after the commit looks as one that is cut before it.
    return new ProblemError(
      'store_unavailable',
      'The store did not answer; the request may have counted. Send it again, with the same Idempotency-Key.',
      { headers: { 'retry-after': '1' } },
    )
  }
  return new ProblemError(
    'internal_error',
    'The service failed; send the same request again, with the same Idempotency-Key.',
  )
}
