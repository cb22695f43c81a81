/**
 * Reads the response to one request: headers and body, up to a size.
 *
 * The body is read as a part of the request: an incomplete body is a lost response, not invalid JSON.
 *
 * @module
 */
import { ProblemSchema } from '@pi-checkout/contract'
import { type FieldError, maxFieldErrors, type Problem } from '@pi-checkout/contract/problem'
import { headers } from '@pi-checkout/contract/routes'
import {
  type ApiErrorCode,
  type ConnectionErrorCode,
  type ContractErrorCode,
  knownCode,
} from './error-codes.ts'
import type { Outcome } from './errors.ts'
import type { OperationRequest } from './operations.ts'
import { excerpt, redactedCause } from './redact.ts'
import { isTransient, readRetryAfter } from './retry.ts'
import { NotSent, type TransportResponse } from './transport.ts'

/** Maximum bytes of a response. */
const maxResponse = 256 * 1024

/** A success. */
export interface RequestSuccess<T> {
  readonly value: T
  readonly status: number
  readonly requestId: string | undefined
  readonly replayed: boolean
}

interface FailureFacts {
  /** Code of the problem or of the transport, for the report of the request. */
  readonly reported: string
  readonly outcome: Outcome
  readonly transient: boolean
  /** What happened, to follow the title of the operation. */
  readonly event: string
  readonly requestId?: string | undefined
  /** Milliseconds. */
  readonly retryAfter?: number | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly errorsOmitted?: number | undefined
  readonly cause?: unknown
}

type FailureKind =
  | {
      readonly kind: 'api'
      readonly code: ApiErrorCode | 'idempotency_key_reused'
      readonly status: number
    }
  | { readonly kind: 'connection'; readonly code: ConnectionErrorCode; readonly status?: undefined }
  | {
      readonly kind: 'contract'
      readonly code: ContractErrorCode
      readonly status?: number | undefined
    }

/** A failed request. */
export type RequestFailure = FailureFacts & FailureKind

/** Reads the response to one request. Does not reject: every error is an `RequestFailure`. */
export async function readResponse<T>(
  operation: OperationRequest<T>,
  { response, now }: { readonly response: Promise<TransportResponse>; readonly now: () => number },
): Promise<RequestSuccess<T> | RequestFailure> {
  let head: TransportResponse | undefined
  try {
    head = await response
    const text = await head.text(maxResponse)
    return readText(operation, { head, text, now: now() })
  } catch (error) {
    // The status of an error is a response, even if its body is incomplete.
    if (head && !isSuccess(head)) return readText(operation, { head, text: '', now: now() })
    return transportFailure(error, operation)
  }
}

/** The failure of a request that its timeout ended. */
export function timeoutFailure(ms: number): RequestFailure {
  return failure({
    code: 'timed_out',
    kind: 'connection',
    transient: true,
    event: `got no complete response within ${ms} ms`,
  })
}

interface Read {
  readonly head: TransportResponse
  /** `undefined` if the body is too large. */
  readonly text: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

function readText<T>(
  operation: OperationRequest<T>,
  read: Read,
): RequestSuccess<T> | RequestFailure {
  const { status } = read.head
  if (isSuccess(read.head)) return readSuccess(operation, read)
  return status >= 300 && status < 400 ? redirectFailure({ status }) : readError(operation, read)
}

function isSuccess({ status }: TransportResponse): boolean {
  return status >= 200 && status < 300
}

function readSuccess<T>(
  operation: OperationRequest<T>,
  { head, text }: Read,
): RequestSuccess<T> | RequestFailure {
  const { status } = head
  const requestId = requestIdOf(head, operation.secrets)
  const facts = { kind: 'contract', status, requestId } as const
  if (text === undefined) {
    const event = `returned more than ${maxResponse} bytes`
    return failure({ code: 'response_too_large', ...facts, event })
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // The error of the parser contains a part of the text, which may be a secret.
    const event = `returned ${status} with a body that is not JSON`
    return failure({ code: 'not_json', ...facts, transient: true, event })
  }
  const result = operation.read(json)
  if ('violation' in result) {
    const event = `returned ${status}, but ${result.violation}`
    return failure({ code: 'contract_broken', ...facts, event })
  }
  const replayed = head.header(headers.idempotentReplayed) === 'true'
  return { value: result.value, status, requestId, replayed }
}

function readError(
  { secrets }: OperationRequest<unknown>,
  { head, text, now }: Read,
): RequestFailure {
  const { status } = head
  const problem = readProblem(text)
  const transient = isTransient(status, problem?.code)
  const code = knownCode(problem?.code)
  const isKnown = code !== 'unexpected_response'
  return {
    kind: 'api',
    code,
    reported: isKnown ? code : `http_${status}`,
    outcome: outcomeOf(status, transient),
    transient,
    event: `was rejected with ${status}${isKnown ? ` ${code}` : ''}`,
    status,
    requestId: requestIdOf(head, secrets),
    retryAfter: readRetryAfter(head.header(headers.retryAfter), now),
    ...readFieldErrors(problem, secrets),
  }
}

/** Another service may list more fields, and repeat their values or a key. */
function readFieldErrors(
  { errors = [], errorsOmitted = 0 }: Partial<Problem> = {},
  secrets: readonly string[],
): Pick<FailureFacts, 'errors' | 'errorsOmitted'> {
  const bounds = { max: 256, secrets }
  const listed = errors.slice(0, maxFieldErrors).map(({ pointer, code, detail }) => ({
    pointer: excerpt(pointer, bounds),
    code: excerpt(code, bounds),
    detail: excerpt(detail, bounds),
  }))
  return { errors: listed, errorsOmitted: errorsOmitted + errors.length - listed.length }
}

function requestIdOf(head: TransportResponse, secrets: readonly string[]): string | undefined {
  const id = head.header(headers.requestId)
  return id === undefined ? undefined : excerpt(id, { max: 128, secrets })
}

/** After a 408, or a conflict with a running request, an earlier request may have created the intent. */
function outcomeOf(status: number, transient: boolean): Outcome {
  if (status < 400 || status >= 500) return 'unknown'
  return status === 408 || (status === 409 && transient) ? 'unknown' : 'rejected'
}

function readProblem(text: string | undefined): Problem | undefined {
  try {
    return ProblemSchema.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

function transportFailure(
  error: unknown,
  { url, secrets }: Pick<OperationRequest<unknown>, 'url' | 'secrets'>,
): RequestFailure {
  const found = transportCode(error)
  const code = found === undefined ? undefined : excerpt(found, { secrets })
  const cause = redactedCause(error, secrets)
  if (isRedirect(error)) return redirectFailure({ cause })
  const notSent = error instanceof NotSent
  // Node.js also reports a failed handshake as EPROTO. After the handshake the connection is broken.
  if (code !== undefined && (isTlsFailure(code) || (notSent && code === 'EPROTO'))) {
    return tlsFailure(code, cause)
  }
  const facts = { kind: 'connection', transient: true, cause } as const
  if (notSent || neverSent.test(code ?? '')) {
    const event = `could not be sent to ${new URL(url).origin} (${code ?? 'no connection'})`
    return failure({
      code: 'not_connected',
      ...facts,
      transient: !notSent || error.transient,
      reported: code ?? 'not_connected',
      outcome: 'not_sent',
      event,
    })
  }
  const event = `got no complete response (${code ?? 'connection lost'})`
  return failure({ code: 'connection_lost', ...facts, reported: code ?? 'connection_lost', event })
}

function tlsFailure(code: string, cause: unknown): RequestFailure {
  return failure({
    code: 'tls_failed',
    kind: 'connection',
    reported: code,
    outcome: 'not_sent',
    // The same certificate and settings fail again.
    transient: false,
    event: `could not be sent: the TLS handshake failed (${code}). For a private certificate authority set NODE_EXTRA_CA_CERTS to its file, or pass agent to new PaymentIntents(). Otherwise check the host name in PI_BASE_URL`,
    cause,
  })
}

function redirectFailure(facts: Pick<RequestFailure, 'status' | 'cause'>): RequestFailure {
  const event = 'returned a redirect, which is not followed'
  return failure({ code: 'redirect_refused', kind: 'contract', event, ...facts })
}

/** By default an intent may exist and a retry does not help. */
function failure(
  facts: FailureKind & Pick<FailureFacts, 'event'> & Partial<FailureFacts>,
): RequestFailure {
  const { code } = facts
  return { reported: code, outcome: 'unknown', transient: false, ...facts }
}

// For transports that cannot tell: name resolution and connecting precede the request (Node's fetch, then Bun's).
const neverSent =
  /^(ENOTFOUND|EAI_\w{1,16}|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

// OpenSSL's verification errors and the host name check of Node.js.
const rejectedCertificate =
  /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/

// A peer without TLS or without a common version, and OpenSSL's alerts: the peer rejects the certificate or handshake.
const rejectedHandshake =
  /^ERR_SSL_(?:(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|HTTP_REQUEST)$|\w{0,16}ALERT_(?:\w{0,16}CERTIFICATE|(?:UNKNOWN_CA|HANDSHAKE_FAILURE|PROTOCOL_VERSION|ACCESS_DENIED|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)$))/

function isTlsFailure(code: string): boolean {
  return rejectedCertificate.test(code) || rejectedHandshake.test(code)
}

function transportCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return transportCode(error.cause, depth + 1)
}

/** The error of `redirect: 'error'` has no code, only a message (undici). */
function isRedirect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const text = `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`
  return /\bredirect/i.test(text)
}
