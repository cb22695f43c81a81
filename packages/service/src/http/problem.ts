/** Maps thrown errors to problems (RFC 9457), in one shape for all routes. @module */
import type { IncomingMessage } from 'node:http'
import {
  type FieldError,
  type FieldErrors,
  maxFieldErrors,
  type ProblemCode,
  problemCodes,
  problemMediaType,
} from '@pi-checkout/contract'
import type { Logger } from 'pino'
import { ExplainedError } from '../explained-error.ts'
import { logError } from '../log.ts'
import { Overloaded, StoreError } from '../store/errors.ts'
import type { Call } from './call.ts'
import { jsonHeaders, type RouteResponse, send } from './response.ts'

/** An error that is sent as a problem. Its texts contain no received values except masked names of fields. */
export class ProblemError extends ExplainedError {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly errors: readonly FieldError[]
  readonly errorsOmitted: number
  readonly headers: Readonly<Record<string, string>>

  /** @param more - `errorsOmitted` counts the invalid fields that `errors` does not list. */
  constructor(
    code: ProblemCode,
    detail: string,
    more: Partial<FieldErrors> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
    this.code = code
    this.errors = more.errors ?? []
    this.errorsOmitted = more.errorsOmitted ?? 0
    this.headers = more.headers ?? {}
  }
}

/** Creates the problem of a request that may succeed a second later. */
export function retryLater(code: ProblemCode, detail: string): ProblemError {
  return new ProblemError(code, detail, { headers: { 'retry-after': '1' } })
}

export function notFound(detail = 'No resource has this address. See /docs.'): ProblemError {
  return new ProblemError('not_found', detail)
}

/** Returns the page that a call gets in place of a problem, if any. */
export type ProblemPage = (
  call: Call,
  shown: { readonly title: string; readonly detail: string },
) => Pick<RouteResponse, 'base' | 'headers' | 'body'> | undefined

/** Sends a thrown error as a problem. Each 5xx except 501 is logged with the id of its response. */
export function sendProblem(
  call: Call,
  {
    error,
    log,
    problemPage,
  }: {
    readonly error: unknown
    readonly log: Logger
    readonly problemPage?: ProblemPage | undefined
  },
): void {
  const { request, response, requestId } = call
  const problem = problemOf(error)
  const { code } = problem
  const { status, title } = problemCodes[code]
  // The request causes a 501, not the service.
  if (status >= 500 && status !== 501) logError(log, error, { event: code, requestId })
  if (response.headersSent) {
    response.destroy()
    return
  }
  call.problem = code
  const body = problemBody(problem, requestId, call)
  const shown = problemPage?.(call, { title, detail: problem.message })
  void send(call, {
    status,
    base: { ...problemHeaders, ...shown?.base, ...shown?.headers },
    headers: {
      // On an open connection, an unread body would be read as the next request.
      ...(hasUnreadBody(request) && { connection: 'close' }),
      ...problem.headers,
    },
    body: shown?.body ?? body,
  })
}

export const problemHeaders = { ...jsonHeaders, 'content-type': problemMediaType }

/** @param facts - Receives the rejected fields that the body lists. */
export function problemBody(
  problem: ProblemError,
  requestId: string,
  facts?: Pick<Call, 'pointers' | 'pointersOmitted'>,
): string {
  const { code } = problem
  const { status, title, retryable } = problemCodes[code]
  const { errors, errorsOmitted } = boundErrors(problem)
  if (facts) {
    facts.pointers = errors.map(({ pointer }) => pointer)
    facts.pointersOmitted = errorsOmitted
  }
  const detail = cutToBytes(problem.message, maxDetailBytes)
  return JSON.stringify({
    type: `/docs#${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    retryable,
    errors,
    ...(errorsOmitted > 0 && { errorsOmitted }),
  })
}

/** Maximum sizes of `errors` and `detail` in bytes of JSON, so that a response has at most 16 KB. */
const maxErrorsBytes = 12 * 1024
const maxDetailBytes = 2 * 1024

/** Limits the number and the size of the field errors, so that no request causes a large response. */
function boundErrors({ errors, errorsOmitted }: ProblemError): FieldErrors {
  let bytes = 0
  const kept: FieldError[] = []
  for (const error of errors.slice(0, maxFieldErrors)) {
    bytes += Buffer.byteLength(JSON.stringify(error))
    if (bytes > maxErrorsBytes) break
    kept.push(error)
  }
  return { errors: kept, errorsOmitted: errorsOmitted + errors.length - kept.length }
}

/** Shortens a text to the given size in bytes as a JSON string. */
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

const queryCanceled = '57014'

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof Overloaded) {
    return retryLater(
      'store_unavailable',
      'Too many requests wait for the store. This request was not run. Send it again.',
    )
  }
  if (error instanceof StoreError && error.code === queryCanceled) {
    return retryLater(
      'timeout',
      'The store did not finish in time. Send the same request again with the same Idempotency-Key.',
    )
  }
  if (error instanceof StoreError && error.unavailable) {
    // A connection lost after the commit cannot be distinguished from one lost before it.
    return retryLater(
      'store_unavailable',
      'The store did not respond. The request may have been committed. Send it again with the same Idempotency-Key.',
    )
  }
  return new ProblemError(
    'internal_error',
    'The service failed. Send the same request again with the same Idempotency-Key.',
  )
}
