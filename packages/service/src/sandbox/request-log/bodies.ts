/** Headers and bodies of requests to test environments, masked when they leave memory: most are dropped before. @module */
import { isUtf8 } from 'node:buffer'
import { headers as names } from '@pi-checkout/contract'
import { bodyOf } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { redact } from '../../redact.ts'
import type { Exchange } from './logged-request.ts'
import { maskCredentials } from './mask.ts'

/** What a request sent and received, with its credentials. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | null
  readonly responseBody: string | null
  /** Whether a command can send the same request, if nothing of it is masked. */
  readonly isExact: boolean
}

/** @param keepsBodies - Problems are kept in any case, because they contain no received values. */
export function receivedOf(
  call: Call,
  { shownPath, keepsBodies }: { readonly shownPath: string; readonly keepsBodies: boolean },
): Received {
  const { request, environment, sentBody, sentStatus, problem, route } = call
  const isKept = keepsBodies && environment?.mode === 'test' && route !== 'page'
  const sent = bodyOf(request)
  const text = isKept && sent && sent.length <= maxBody ? sent.toString() : null
  const responds = problem !== undefined || isKept
  const isSent = sentStatus !== 0 && sentBody !== undefined && sentBody.length <= maxBody
  return {
    headers: picked(request.headers, shownHeaders),
    responseHeaders: sentStatus === 0 ? {} : picked(call.sentHeaders, shownResponseHeaders),
    requestBody: text,
    responseBody: responds && isSent ? sentBody : null,
    isExact:
      environment !== undefined &&
      shownPath === request.url &&
      (sent ? isCommandText(sent, text) : hasNoBody(call)),
  }
}

export function masked({
  headers: received,
  responseHeaders,
  requestBody,
  responseBody,
  isExact,
}: Received): Exchange {
  const headers = maskHeaders(received)
  const exchange = {
    headers,
    responseHeaders: maskHeaders(responseHeaders),
    requestBody: requestBody === null ? null : maskText(requestBody),
    responseBody: responseBody === null ? null : maskText(responseBody),
  }
  const isWhole =
    exchange.requestBody === requestBody &&
    Object.entries(received).every(([name, value]) => headers[name] === value)
  return { ...exchange, isExact: isExact && isWhole }
}

/** Bytes of memory for the bodies of an entry. */
export function sizeOf({ requestBody, responseBody }: Received | Exchange): number {
  return 2 * ((requestBody?.length ?? 0) + (responseBody?.length ?? 0))
}

const maxBody = 16 * 1024

function hasNoBody({ request }: Call): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  return length === '0' && coding === undefined
}

/** Returns whether a command can send these bytes: a program's argument is text without U+0000. */
function isCommandText(sent: Buffer, text: string | null): boolean {
  return text !== null && isUtf8(sent) && !sent.includes(0)
}

function picked(
  headers: Readonly<Record<string, unknown>> | undefined,
  shown: readonly string[],
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  if (headers === undefined) return found
  for (const name of shown) {
    const value = headers[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}

function maskHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    shown[name] = maskCredentials(value).slice(0, maxHeader)
  }
  return shown
}

const shownHeaders = ['content-type', names.idempotencyKey, names.sandboxFault]
const shownResponseHeaders = [
  'location',
  names.idempotentReplayed,
  names.retryAfter,
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'allow',
  'accept-post',
]
const maxHeader = 255

/** Masks credentials and card numbers, also those that JSON escapes hide. */
function maskText(text: string): string {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  const masked = redact(plain)
  return masked === plain ? text : masked
}
