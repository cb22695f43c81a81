/**
 * Reads the response to one request: headers and body, up to a size.
 *
 * The body is read as a part of the request: an incomplete body is a lost response, not invalid JSON.
 *
 * @module
 */
import { ProblemSchema } from '@pi-checkout/contract'
import { ownProfileName } from '@pi-checkout/contract/payment-status'
import { type FieldError, maxFieldErrors, problemCodes } from '@pi-checkout/contract/problem'
import { headers } from '@pi-checkout/contract/routes'
import { advices, isProblemCode, knownCode, type PiErrorCode } from './error-codes.ts'
import type { Outcome } from './errors.ts'
import type { OperationRequest } from './operations.ts'
import type { Settings } from './options.ts'
import { maxResponse, readText } from './read-body.ts'
import { failure, type RequestFailure, transportFailure } from './request-failure.ts'
import { readRetryAfter } from './retry.ts'
import { withoutSecrets } from './secrets.ts'
import { bodyInOurForm } from './translate.ts'

export interface RequestSuccess<T> {
  readonly value: T
  readonly replayed: boolean
}

/** A response, and its body if it arrived and is not too large. */
interface Received {
  readonly head: Response
  readonly text: string | undefined
}

/** Reads the response to one request. Does not reject: every error is a `RequestFailure`. */
export async function readResponse<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  response: Promise<Response>,
): Promise<RequestSuccess<T> | RequestFailure> {
  let head: Response | undefined
  try {
    head = await response
    const text = await readBody(head)
    const read = head.ok ? readSuccess : readError
    return await read(operation, settings, { head, text })
  } catch (error) {
    // The status of an error is a response, even if its body is incomplete.
    if (head && !head.ok) return readError(operation, settings, { head, text: undefined })
    return transportFailure(error, settings)
  }
}

/** @returns `undefined` if it is larger than `maxResponse`. */
async function readBody(response: Response): Promise<string | undefined> {
  const { body } = response
  if (!body) return response.text()
  const text = await readText(body, maxResponse)
  // Closes the connection.
  if (text === undefined) body.cancel().catch(() => {})
  return text
}

async function readSuccess<T>(
  operation: OperationRequest<T>,
  settings: Settings,
  { head, text }: Received,
): Promise<RequestSuccess<T> | RequestFailure> {
  const { status } = head
  const requestId = requestIdOf(head, settings)
  const fail = (code: PiErrorCode, event: string, retryable = false): RequestFailure =>
    failure({ code, status, requestId, retryable, event: `returned ${event}` })
  if (text === undefined) return fail('response_too_large', `more than ${maxResponse} bytes`)
  const json = parseJson(text)
  if (json === undefined) return fail('not_json', `${status} with a body that is not JSON`, true)
  // Its status could mean anything, so an intent of it must not be handed out.
  if (isUnknownService(settings, head)) {
    const reason = `no status of an unknown service has a meaning: ${advices.unknown_service}`
    return fail('unknown_service', `${status}, but ${reason}`)
  }
  const sent = await bodyInOurForm(settings, head, json)
  const result = 'violation' in sent ? sent : operation.read(sent.body)
  if ('violation' in result) return fail('contract_broken', `${status}, but ${result.violation}`)
  // Another service does not say so, and may replay any create.
  const replayed = settings.translate !== undefined || head.headers.has(headers.idempotentReplayed)
  return { value: result.value, replayed }
}

async function readError(
  { operation }: OperationRequest<unknown>,
  settings: Settings,
  { head, text }: Received,
): Promise<RequestFailure> {
  const { status } = head
  if (status >= 300 && status < 400) {
    const event = 'returned a redirect, which is not followed'
    return failure({ code: 'redirect_refused', event, status })
  }
  const isUnknown = isUnknownService(settings, head)
  if (isUnknown && operation === 'retrieve' && status === 404) {
    const event = `was rejected with ${status}, but no response of an unknown service means that the intent does not exist: ${advices.unknown_service}`
    return failure({ code: 'unknown_service', status, event })
  }
  const sent = await bodyInOurForm(settings, head, parseJson(text))
  const requestId = requestIdOf(head, settings)
  const retryAfter = readRetryAfter(head.headers.get(headers.retryAfter), Date.now())
  const facts = { status, requestId, retryAfter }
  if ('violation' in sent) {
    const event = `was rejected with ${status}, but ${sent.violation}`
    const retryable = isRetryable(status, undefined)
    return failure({ code: 'contract_broken', ...facts, retryable, event })
  }
  const sentCode: unknown = isUnknown ? undefined : Object(sent.body).code
  const code = knownCode(sentCode)
  const retryable = isRetryable(status, sentCode)
  return {
    code,
    outcome: outcomeOf(status, code, retryable),
    retryable,
    event: `was rejected with ${status}${code === 'unexpected_response' ? '' : ` ${code}`}`,
    ...facts,
    errors: readFieldErrors(sent.body, settings),
  }
}

/** Only our service, which names itself, and one that is translated have statuses and codes with a meaning. */
function isUnknownService({ translate }: Settings, response: Response): boolean {
  return !translate && response.headers.get(headers.profile) !== ownProfileName
}

/** Returns whether the same request may have another response later. */
function isRetryable(status: number, code: unknown): boolean {
  if ([408, 425, 429].includes(status) || status >= 500) return true
  // Without a code of ours, the conflict may be with a request that is running.
  return isProblemCode(code) ? problemCodes[code].retryable : status === 409
}

/** After a 408, or a conflict with a running request, an earlier request may have created the intent. */
function outcomeOf(status: number, code: PiErrorCode, retryable: boolean): Outcome {
  if (status < 400 || status >= 500) return 'unknown'
  const isNotRead = [425, 429].includes(status) || code === 'rate_limited'
  return retryable && !isNotRead ? 'unknown' : 'rejected'
}

/** Another service may list more fields, and repeat a key. */
function readFieldErrors(body: unknown, { apiKey }: Settings): readonly FieldError[] {
  const { errors = [] } = ProblemSchema.safeParse(body).data ?? {}
  const cut = (text: string): string => withoutSecrets(text, apiKey).slice(0, 256)
  return errors.slice(0, maxFieldErrors).map(({ pointer, code, detail }) => ({
    pointer: cut(pointer),
    code: cut(code),
    detail: cut(detail),
  }))
}

function requestIdOf(response: Response, { apiKey }: Settings): string | undefined {
  const id = response.headers.get(headers.requestId)
  return id === null ? undefined : withoutSecrets(id, apiKey).slice(0, 128)
}

/** @returns `undefined` for what is no JSON. The parser's error contains a part of the text, perhaps a secret. */
function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
