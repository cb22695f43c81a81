/** Maps thrown errors to problems (RFC 9457), in one shape for all routes. @module */
import {
  type FieldError,
  type FieldErrors,
  fieldErrors,
  type ProblemCode,
  problemCodes,
  problemMediaType,
} from '@pi-checkout/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { codeOf, ExplainedError } from '../explained-error.ts'
import { logError } from '../log.ts'
import { Overloaded, StoreError } from '../store/errors.ts'
import { jsonHeaders } from './send.ts'

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

/**
 * Creates the problem of a request that must authenticate.
 *
 * @param challenge - Without an error code if the request sent no credentials: RFC 6750, §3.
 */
export function unauthorized(
  code: ProblemCode,
  detail: string,
  challenge = 'Bearer error="invalid_token"',
): ProblemError {
  return new ProblemError(code, detail, { headers: { 'www-authenticate': challenge } })
}

export function notFound(detail = 'Check the path, and each id in it.'): ProblemError {
  return new ProblemError('not_found', detail)
}

export type ProblemPage = (reply: FastifyReply, problem: ProblemError) => FastifyReply

/** Returns the handler that sends a thrown error as a problem. It logs each 5xx with the id of its response. */
export function problemHandler(log: Logger, problemPage: ProblemPage | undefined) {
  return (
    error: unknown,
    { id, facts, headers: sent, routeOptions }: FastifyRequest,
    reply: FastifyReply,
  ): void => {
    const problem = problemOf(error, routeOptions.bodyLimit)
    const { status, headers, body } = problemResponse(problem, id)
    if (status >= 500) logError(log, error, { event: problem.code, requestId: id })
    facts.problem = problem
    reply.code(status)
    if (problemPage && facts.isForPeople && sent.accept?.includes('text/html')) {
      problemPage(reply.headers(problem.headers), problem)
    } else reply.headers(headers).send(body)
  }
}

/** Returns status, headers, and body of the response. */
export function problemResponse(problem: ProblemError, requestId: string) {
  const { code, errors, errorsOmitted } = problem
  const { status, title, retryable } = problemCodes[code]
  const body = JSON.stringify({
    type: `/docs#${code}`,
    title,
    status,
    detail: problem.message,
    code,
    requestId,
    retryable,
    errors,
    ...(errorsOmitted > 0 && { errorsOmitted }),
  })
  const headers: Readonly<Record<string, string>> = { ...problemHeaders, ...problem.headers }
  return { status, headers, body }
}

const problemHeaders = { ...jsonHeaders, 'content-type': problemMediaType }

const queryCanceled = '57014'

function problemOf(error: unknown, bodyLimit: number | undefined): ProblemError {
  if (error instanceof ProblemError) return error
  // A connection to the database can have the code of one to a client.
  if (!(error instanceof StoreError)) {
    const rejected = fastifyProblems[codeOf(error) ?? '']
    if (rejected) return rejected(bodyLimit)
    if (isOfClient(error)) return notFound()
  }
  if (error instanceof Overloaded) {
    return retryLater(
      'store_unavailable',
      'Too many requests wait for the store. This request was not run. Send it again.',
    )
  }
  if (error instanceof StoreError && error.code === queryCanceled) {
    return retryLater('timeout', `The store did not finish in time. ${sendAgain}`)
  }
  if (error instanceof StoreError && error.unavailable) {
    // A connection lost after the commit cannot be distinguished from one lost before it.
    return retryLater(
      'store_unavailable',
      'The store did not respond. The request may have been committed. Send it again with the same Idempotency-Key.',
    )
  }
  return new ProblemError('internal_error', `The service failed. ${sendAgain}`)
}

const sendAgain = 'Send the same request again with the same Idempotency-Key.'

/** Errors of fastify about a body. */
const fastifyProblems: Readonly<Record<string, (limit?: number) => ProblemError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (limit) =>
    new ProblemError('payload_too_large', `The body must be at most ${limit} bytes.`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ProblemError(
      'unsupported_media_type',
      'Content-Type must be application/json, with no charset other than utf-8.',
      { headers: { 'accept-post': 'application/json' } },
    ),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    new ProblemError('malformed_json', 'The body is empty. Send a JSON object.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    new ProblemError(
      'malformed_json',
      'The body is not well-formed JSON, or has a name such as __proto__.',
    ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: incomplete,
  ECONNRESET: incomplete,
}

/** Returns whether it is an error of fastify about a file or a path that a client may not read. */
function isOfClient(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500
}

/** Creates the error for the log. The client closed the connection, so it does not receive it. */
function incomplete(): ProblemError {
  return new ProblemError('request_timeout', 'The connection closed before the body was complete.')
}

/** Returns the problem of an input. It lists invalid fields without their values. */
export function inputProblem(error: z.ZodError, input: unknown, part = 'body'): ProblemError {
  const all = fieldErrors(error, input)
  const errors = fitting(all.errors, maxErrorsBytes)
  const errorsOmitted = all.errorsOmitted + all.errors.length - errors.length
  const found = { errors, errorsOmitted }
  const detail = detailOf(found)
  if (part !== 'body') return new ProblemError('validation_failed', detail)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return new ProblemError('invalid_body', detail, found)
  }
  const isUnknown = found.errors.some(({ code }) => code === 'unknown_parameter')
  return new ProblemError(isUnknown ? 'unknown_parameter' : 'validation_failed', detail, found)
}

const maxInDetail = 5

/** Maximum sizes of `errors` and `detail` in bytes of JSON, so that a response has at most 16 KB. */
const maxErrorsBytes = 12 * 1024
const maxDetailBytes = 2 * 1024

/** Returns the first items that fit into a number of bytes of JSON. */
function fitting<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return bytes > maxBytes
  })
  return items.slice(0, end < 0 ? undefined : end)
}

function detailOf({ errors, errorsOmitted }: FieldErrors): string {
  const details = errors.slice(0, maxInDetail).map(({ detail }) => detail)
  const listed = fitting(details, maxDetailBytes)
  const more = errors.length + errorsOmitted - listed.length
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}
