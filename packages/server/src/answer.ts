/**
 * One request, and what its whole answer means: headers and body, within a size.
 *
 * The body is read inside the attempt, because a severed body is a lost answer and not bad JSON.
 *
 * @module
 */
import { ProblemSchema } from '@pi-checkout/contract'
import type { FieldError, Problem } from '@pi-checkout/contract/problem'
import { headers } from '@pi-checkout/contract/routes'
import { knownCode, type PiErrorCode } from './error-codes.ts'
import type { Outcome } from './errors.ts'
import { redact, redactedCause } from './mask.ts'
import { NotSent } from './not-sent.ts'
import { isTransient, readRetryAfter } from './retry.ts'
import type { Outgoing, Reply } from './transport.ts'

/** Bytes that an answer may have. */
const maxAnswer = 256 * 1024

/** One operation, ready to be sent as often as needed: the same bytes every time. */
export interface Call<T> {
  readonly operation: 'create' | 'retrieve'
  /** Method and route without values, for messages. */
  readonly title: string
  readonly url: string
  readonly outgoing: Outgoing
  readonly idempotencyKey?: string
  /** What must stand in no error. */
  readonly secrets: readonly string[]
  /** Reads a success, or says what in it breaks the specification. */
  readonly read: (json: unknown) => { readonly value: T } | { readonly broken: string }
}

/** A success. */
export interface Answer<T> {
  readonly value: T
  readonly status: number
  readonly requestId: string | undefined
  readonly replayed: boolean
}

/** A failure of one attempt. */
export interface Fault {
  readonly kind: 'api' | 'connection' | 'contract'
  readonly code: PiErrorCode
  /** The code as it came: a problem's, or the transport's. */
  readonly seen: string
  readonly outcome: Outcome
  readonly transient: boolean
  /** What happened, in words, after the title of the call. */
  readonly event: string
  readonly status?: number
  readonly requestId?: string | undefined
  /** Milliseconds. */
  readonly retryAfter?: number | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly cause?: unknown
}

/** Reads everything of one attempt. Never rejects: every failure is a fault. */
export async function readAnswer<T>(
  call: Call<T>,
  { reply: coming, now }: { readonly reply: Promise<Reply>; readonly now: () => number },
): Promise<Answer<T> | Fault> {
  let reply: Reply | undefined
  try {
    reply = await coming
    const text = await reply.text(maxAnswer)
    return readReply(call, { reply, text, now: now() })
  } catch (error) {
    // The status of a refusal is an answer, even when its body broke off.
    if (reply && !isSuccess(reply)) return readReply(call, { reply, text: '', now: now() })
    return transportFault(error, call.secrets)
  }
}

/** The fault of an attempt that its timeout ended. */
export function timeoutFault(ms: number): Fault {
  return {
    kind: 'connection',
    code: 'timed_out',
    seen: 'timed_out',
    outcome: 'unknown',
    transient: true,
    event: `got no complete answer within ${ms} ms`,
  }
}

interface Read {
  readonly reply: Reply
  readonly text: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

function readReply<T>(call: Call<T>, read: Read): Answer<T> | Fault {
  const { status } = read.reply
  if (isSuccess(read.reply)) return readSuccess(call, read)
  return status >= 300 && status < 400 ? redirectFault(status) : readRefusal(call, read)
}

function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

function readSuccess<T>(call: Call<T>, { reply, text }: Read): Answer<T> | Fault {
  const { status } = reply
  const requestId = reply.header(headers.requestId)
  const broken = { kind: 'contract', outcome: 'unknown', status, requestId } as const
  if (text === undefined) {
    const event = `was answered with more than ${maxAnswer} bytes`
    return {
      ...broken,
      code: 'answer_too_large',
      seen: 'answer_too_large',
      transient: false,
      event,
    }
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text, which may hold a secret: it is not kept as a cause.
    const event = `was answered with ${status} and something else than JSON`
    return { ...broken, code: 'not_json', seen: 'not_json', transient: true, event }
  }
  const result = call.read(json)
  if ('broken' in result) {
    const event = `was answered with ${status}, but ${result.broken}`
    return { ...broken, code: 'contract_broken', seen: 'contract_broken', transient: false, event }
  }
  const replayed = reply.header(headers.idempotentReplayed) === 'true'
  return { value: result.value, status, requestId, replayed }
}

function readRefusal(call: Call<unknown>, { reply, text, now }: Read): Fault {
  const { status } = reply
  const problem = readProblem(text)
  const transient = isTransient(status, problem?.code)
  const code = knownCode(problem?.code)
  return {
    kind: 'api',
    code,
    seen: code === 'unexpected_answer' ? `http_${status}` : code,
    outcome: refusalOutcome(status, transient),
    transient,
    event: `was refused with ${status}${code === 'unexpected_answer' ? '' : ` ${code}`}`,
    status,
    requestId: reply.header(headers.requestId),
    retryAfter: readRetryAfter(reply.header(headers.retryAfter), now),
    // Ours never repeat a value, but a service that does must not put a key into a log.
    errors: problem?.errors?.map(({ pointer, code, detail }) => ({
      pointer: redact(pointer, call.secrets),
      code: redact(code, call.secrets),
      detail: redact(detail, call.secrets),
    })),
  }
}

/** A 408 or a conflict with a running request says nothing of what became of the first try. */
function refusalOutcome(status: number, transient: boolean): Outcome {
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

function transportFault(error: unknown, secrets: readonly string[]): Fault {
  const code = transportCode(error)
  const cause = redactedCause(error, secrets)
  if (isRedirect(error)) return redirectFault(undefined, cause)
  const notSent = error instanceof NotSent
  // Node reports a failed handshake as EPROTO as well; after the handshake it is a broken connection.
  if (code !== undefined && (isTlsFailure(code) || (notSent && code === 'EPROTO'))) {
    return tlsFault(code, cause)
  }
  if (notSent || neverSent.test(code ?? '')) {
    const event = `could not be sent (${code ?? 'no connection'})`
    return {
      kind: 'connection',
      code: 'not_connected',
      seen: code ?? 'not_connected',
      outcome: 'not_sent',
      transient: true,
      event,
      cause,
    }
  }
  return {
    kind: 'connection',
    code: 'connection_lost',
    seen: code ?? 'connection_lost',
    outcome: 'unknown',
    transient: true,
    event: `got no complete answer (${code ?? 'connection lost'})`,
    cause,
  }
}

/** The same certificate and the same settings give the same result, however often they are tried. */
function tlsFault(code: string, cause: unknown): Fault {
  return {
    kind: 'connection',
    code: 'tls_failed',
    seen: code,
    outcome: 'not_sent',
    transient: false,
    event: `could not be sent: the TLS handshake failed (${code}). If the service has a certificate of your own authority, set NODE_EXTRA_CA_CERTS to the file of that authority, or pass agent to new PaymentIntents(); otherwise check the host name in PI_BASE_URL`,
    cause,
  }
}

function redirectFault(status: number | undefined, cause?: unknown): Fault {
  return {
    kind: 'contract',
    code: 'redirect_refused',
    seen: 'redirect_refused',
    outcome: 'unknown',
    transient: false,
    event: 'was answered with a redirect, which is never followed',
    ...(status === undefined ? {} : { status }),
    cause,
  }
}

// Where the transport cannot say: name resolution and connecting come before the first byte of the request (Node's
// fetch, then Bun's).
const neverSent =
  /^(ENOTFOUND|EAI_\w{1,16}|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

// OpenSSL's verification errors and Node's host name check: a certificate that is not accepted.
const rejectedCertificate =
  /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/

// A peer that has no TLS or no version in common, and OpenSSL's alerts: the peer rejects the certificate or the handshake.
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

/** `redirect: 'error'` has no code of its own: undici says it in words. */
function isRedirect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const words = `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`
  return /\bredirect/i.test(words)
}
