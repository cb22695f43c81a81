/**
 * One request and its whole answer: headers and body, within a size, until a signal.
 *
 * The body is read inside the attempt, because a severed body is a lost answer and not bad JSON.
 *
 * @module
 */
import { headers, Problem } from '@pi-checkout/contract'
import type { Outcome, PiErrorCode } from './errors.ts'
import { knownCode } from './errors.ts'
import { redact, redactedCause } from './mask.ts'
import { isTransient, readRetryAfter } from './retry.ts'

/** Bytes that an answer may have. */
const maxAnswer = 256 * 1024

/** One operation, ready to be sent as often as needed: the same bytes every time. */
export interface Call<T> {
  readonly operation: 'create' | 'retrieve'
  /** Method and route without values, for messages. */
  readonly title: string
  readonly url: string
  readonly init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
  }
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
  readonly errors?: Problem['errors'] | undefined
  readonly cause?: unknown
}

/** Sends once and reads everything. Never rejects: every failure is a fault. */
export async function ask<T>(
  call: Call<T>,
  {
    fetch,
    signal,
    now,
  }: {
    readonly fetch: typeof globalThis.fetch
    readonly signal: AbortSignal
    readonly now: () => number
  },
): Promise<Answer<T> | Fault> {
  let response: Response | undefined
  try {
    response = await fetch(call.url, { ...call.init, redirect: 'error', signal })
    const text = await readText(response)
    if (response.ok) return readSuccess(call, response, text)
    return readRefusal(call, response, text, now())
  } catch (error) {
    // The status of a refusal is an answer, even when its body broke off.
    if (response && !response.ok) return readRefusal(call, response, '', now())
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

function readSuccess<T>(
  call: Call<T>,
  response: Response,
  text: string | undefined,
): Answer<T> | Fault {
  const { status } = response
  const requestId = response.headers.get(headers.requestId) ?? undefined
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
  const replayed = response.headers.get(headers.idempotentReplayed) === 'true'
  return { value: result.value, status, requestId, replayed }
}

function readRefusal(
  call: Call<unknown>,
  response: Response,
  text: string | undefined,
  now: number,
): Fault {
  const { status } = response
  const problem = readProblem(text)
  const transient = isTransient(status, problem?.code)
  const code = status >= 300 && status < 400 ? 'redirect_refused' : knownCode(problem?.code)
  return {
    kind: 'api',
    code,
    seen: code === 'unexpected_answer' ? `http_${status}` : code,
    outcome: refusalOutcome(status, transient),
    transient,
    event: `was refused with ${status}${code === 'unexpected_answer' ? '' : ` ${code}`}`,
    status,
    requestId: response.headers.get(headers.requestId) ?? undefined,
    retryAfter: readRetryAfter(response.headers.get(headers.retryAfter), now),
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
    return Problem.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}

function transportFault(error: unknown, secrets: readonly string[]): Fault {
  const code = transportCode(error)
  const cause = redactedCause(error, secrets)
  if (isRedirect(error)) {
    const event = 'was answered with a redirect, which is never followed'
    return {
      kind: 'contract',
      code: 'redirect_refused',
      seen: 'redirect_refused',
      outcome: 'unknown',
      transient: false,
      event,
      cause,
    } // prettier
  }
  if (code !== undefined && neverSent.test(code)) {
    const event = `could not be sent (${code})`
    return {
      kind: 'connection',
      code: 'not_connected',
      seen: code,
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

// Name resolution, connecting and TLS come before the first byte of the request (Node, then Bun).
const neverSent =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|HOSTNAME_MISMATCH|ConnectionRefused|FailedToOpenSocket)$/

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

/** @returns `undefined` when the answer is larger than it may be. */
async function readText(response: Response): Promise<string | undefined> {
  const declared = response.headers.get('content-length')
  const encoded = response.headers.has('content-encoding')
  // The platform's own reader is faster, and a plain body cannot be longer than it declared.
  if (declared !== null && !encoded && Number(declared) <= maxAnswer) return response.text()
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > maxAnswer) {
      reader.cancel().catch(() => {}) // The connection goes; nobody waits for that.
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
