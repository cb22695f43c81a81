/**
 * Reads the response to one request: headers and body, up to a size.
 *
 * The body is read as a part of the request: an incomplete body is a lost response, not invalid JSON.
 *
 * @module
 */
import { ProblemSchema } from '@pi-checkout/contract'
import { maxFieldErrors, type Problem } from '@pi-checkout/contract/problem'
import { ownProfile, ownProfileName, type Profile } from '@pi-checkout/contract/profile'
import { headers } from '@pi-checkout/contract/routes'
import type { PiErrorCode } from './error-codes.ts'
import { readMeaning } from './error-meaning.ts'
import type { Outcome, PiErrorFacts } from './errors.ts'
import type { OperationRequest } from './operations.ts'
import { redactedCause, shorten } from './redact.ts'
import { readRetryAfter } from './retry.ts'
import {
  isRejectedCertificate,
  maxResponse,
  NotSent,
  type TransportResponse,
  transportCode,
} from './transport.ts'

const profileFix =
  'Check PI_BASE_URL. For a service other than @pi-checkout/service run "npx pi-checkout probe --write profile.json", and set PI_PROFILE=profile.json'

export interface RequestSuccess<T> {
  readonly value: T
  readonly status: number
  readonly requestId: string | undefined
  readonly replayed: boolean
}

export interface RequestFailure
  extends Omit<PiErrorFacts, 'code' | 'retryable' | 'requests' | 'idempotencyKey'> {
  readonly code: Exclude<PiErrorCode, 'aborted'>
  /** Code of the problem or of the transport, for the report of the request. */
  readonly reported: string
  readonly transient: boolean
  /** What happened, to follow the title of the operation. */
  readonly event: string
  /** Milliseconds. */
  readonly retryAfter?: number | undefined
}

/** Reads the response to one request. Does not reject: every error is a `RequestFailure`. */
export async function readResponse<T>(
  operation: OperationRequest<T>,
  response: Promise<TransportResponse>,
): Promise<RequestSuccess<T> | RequestFailure> {
  let head: TransportResponse | undefined
  try {
    head = await response
    const text = await head.text()
    return isSuccess(head) ? readSuccess(operation, head, text) : readError(operation, head, text)
  } catch (error) {
    // The status of an error is a response, even if its body is incomplete.
    if (head && !isSuccess(head)) return readError(operation, head, undefined)
    return transportFailure(error, operation)
  }
}

/** The failure of a request that its timeout or its caller ended after `ms` milliseconds. */
export function interruptedFailure(reported: 'timed_out' | 'aborted', ms: number): RequestFailure {
  return failure({
    code: 'timed_out',
    reported,
    transient: true,
    event: `got no complete response within ${ms} ms`,
  })
}

function isSuccess({ status }: TransportResponse): boolean {
  return status >= 200 && status < 300
}

function readSuccess<T>(
  operation: OperationRequest<T>,
  head: TransportResponse,
  text: string | undefined,
): RequestSuccess<T> | RequestFailure {
  const { status } = head
  const requestId = requestIdOf(head, operation.secrets)
  const facts = { status, requestId }
  if (text === undefined) {
    const event = `returned more than ${maxResponse} bytes`
    return failure({ code: 'response_too_large', ...facts, event })
  }
  const json = parseJson(text)
  if (json === undefined) {
    const event = `returned ${status} with a body that is not JSON`
    return failure({ code: 'not_json', ...facts, transient: true, event })
  }
  const profile = profileOf(operation, head)
  const result = operation.read(json, profile)
  if ('violation' in result) {
    const event = `returned ${status}, but ${result.violation}`
    return failure({ code: 'contract_broken', ...facts, event })
  }
  // Its status could mean anything. A create needs none.
  if (!profile && operation.operation === 'retrieve') {
    const event = `returned ${status}, but no profile names its field for the status. ${profileFix}`
    return failure({ code: 'profile_missing', ...facts, event })
  }
  // A service that does not say so may have replayed any create.
  const replayed =
    profile !== undefined &&
    (profile.replayHeader === null || head.header(profile.replayHeader) !== undefined)
  return { value: result.value, status, requestId, replayed }
}

function readError(
  request: OperationRequest<unknown>,
  head: TransportResponse,
  text: string | undefined,
): RequestFailure {
  const { status } = head
  if (status >= 300 && status < 400) {
    const event = 'returned a redirect, which is not followed'
    return failure({ code: 'redirect_refused', event, status })
  }
  const { operation, secrets } = request
  const profile = profileOf(request, head)
  const body = parseJson(text)
  const problem = ProblemSchema.safeParse(body).data
  const { code, transient } = readMeaning({ operation, status, body }, profile)
  if (!profile && operation === 'retrieve' && status === 404) {
    const event = `was rejected with ${status}, and no profile names the response for an unknown intent. ${profileFix}`
    return failure({ code: 'profile_missing', status, event })
  }
  const isKnown = code !== 'unexpected_response'
  return {
    code,
    reported: isKnown ? code : `http_${status}`,
    outcome: outcomeOf(status, transient),
    transient,
    event: `was rejected with ${status}${isKnown ? ` ${code}` : ''}`,
    status,
    requestId: requestIdOf(head, secrets),
    retryAfter: readRetryAfter(head.header(headers.retryAfter), Date.now()),
    ...readFieldErrors(problem, secrets),
  }
}

/** Another service may list more fields, and repeat their values or a key. */
function readFieldErrors(
  { errors = [], errorsOmitted = 0 }: Partial<Problem> = {},
  secrets: readonly string[],
): Pick<RequestFailure, 'errors' | 'errorsOmitted'> {
  const bounds = { max: 256, secrets }
  const listed = errors.slice(0, maxFieldErrors).map(({ pointer, code, detail }) => ({
    pointer: shorten(pointer, bounds),
    code: shorten(code, bounds),
    detail: shorten(detail, bounds),
  }))
  return { errors: listed, errorsOmitted: errorsOmitted + errors.length - listed.length }
}

function requestIdOf(head: TransportResponse, secrets: readonly string[]): string | undefined {
  const id = head.header(headers.requestId)
  return id === undefined ? undefined : shorten(id, { max: 128, secrets })
}

/** After a 408, or a conflict with a running request, an earlier request may have created the intent. */
function outcomeOf(status: number, transient: boolean): Outcome {
  if (status < 400 || status >= 500) return 'unknown'
  return status === 408 || (status === 409 && transient) ? 'unknown' : 'rejected'
}

/** Returns the configured profile, or ours if the service names it. */
function profileOf(
  { profile }: Pick<OperationRequest<unknown>, 'profile'>,
  head: TransportResponse,
): Profile | undefined {
  if (profile) return profile
  return head.header(headers.profile) === ownProfileName ? ownProfile : undefined
}

/** @returns `undefined` for what is no JSON. The parser's error contains a part of the text, perhaps a secret. */
function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function transportFailure(
  error: unknown,
  { url, secrets }: Pick<OperationRequest<unknown>, 'url' | 'secrets'>,
): RequestFailure {
  const found = transportCode(error)
  const code = found === undefined ? undefined : shorten(found, { secrets })
  const facts = { transient: true, cause: redactedCause(error, secrets) }
  if (!(error instanceof NotSent)) {
    const event = `got no complete response (${code ?? 'connection lost'})`
    return failure({
      code: 'connection_lost',
      ...facts,
      reported: code ?? 'connection_lost',
      event,
    })
  }
  if (code !== undefined && isTlsFailure(code)) return tlsFailure(code, facts.cause)
  return failure({
    code: 'not_connected',
    ...facts,
    transient: error.transient,
    reported: code ?? 'not_connected',
    outcome: 'not_sent',
    event: `could not be sent to ${new URL(url).origin} (${code ?? 'no connection'})`,
  })
}

function tlsFailure(code: string, cause: unknown): RequestFailure {
  return failure({
    code: 'tls_failed',
    reported: code,
    outcome: 'not_sent',
    // The same certificate and settings fail again.
    transient: false,
    event: `could not be sent: the TLS handshake failed (${code}). For a private certificate authority set NODE_EXTRA_CA_CERTS to its file, or pass agent to new PaymentIntents(). Otherwise check the host name in PI_BASE_URL`,
    cause,
  })
}

/** By default an intent may exist and a retry does not help. */
function failure(
  facts: Pick<RequestFailure, 'code' | 'event'> & Partial<RequestFailure>,
): RequestFailure {
  return { reported: facts.code, outcome: 'unknown', transient: false, ...facts }
}

// A peer without TLS or without a common version, and OpenSSL's alerts: the peer rejects the certificate or handshake.
const rejectedHandshake =
  /^ERR_SSL_(?:(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|HTTP_REQUEST)$|\w{0,16}ALERT_(?:\w{0,16}CERTIFICATE|(?:UNKNOWN_CA|HANDSHAKE_FAILURE|PROTOCOL_VERSION|ACCESS_DENIED|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)$))/

// Node.js also reports a failed handshake as EPROTO.
function isTlsFailure(code: string): boolean {
  return code === 'EPROTO' || isRejectedCertificate(code) || rejectedHandshake.test(code)
}
