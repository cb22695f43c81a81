/** Headers and bodies of requests to test environments, masked when they are recorded. @module */
import { isUtf8 } from 'node:buffer'
import { headers as names } from '@pi-checkout/contract'
import { redact } from '@pi-checkout/contract/redact'
import { bodyOf } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { Exchange } from './logged-request.ts'
import { maskCredentials } from './mask.ts'

/** @param keepsBodies - Problems are kept in any case, because they contain no received values. */
export function exchangeOf(
  call: Call,
  { shownPath, keepsBodies }: { readonly shownPath: string; readonly keepsBodies: boolean },
): Exchange {
  const { request, environment, sentBody, sentStatus, problem, route } = call
  const isKept = keepsBodies && environment?.mode === 'test' && route !== 'page'
  const sent = bodyOf(request)
  const text = isKept && sent && sent.length <= maxBody ? sent.toString() : null
  const requestBody = text === null ? null : maskText(text)
  const responds = problem !== undefined || isKept
  const isSent = sentStatus !== 0 && sentBody !== undefined && sentBody.length <= maxBody
  const headers = headersOf(call)
  return {
    headers,
    requestBody,
    responseBody: responds && isSent ? maskText(sentBody) : null,
    isExact:
      environment !== undefined &&
      shownPath === request.url &&
      (sent ? requestBody === text && isCommandText(sent, text) : hasNoBody(call)) &&
      Object.entries(headers).every(([name, value]) => request.headers[name] === value),
  }
}

/** Bytes of memory for the bodies of an entry. */
export function sizeOf({ requestBody, responseBody }: Exchange): number {
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

function headersOf({ request }: Call): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const name of shownHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') shown[name] = maskCredentials(value).slice(0, maxHeader)
  }
  return shown
}

const shownHeaders = ['content-type', names.idempotencyKey, names.sandboxFault]
const maxHeader = 255

/** Masks credentials and card numbers, also those that JSON escapes hide. */
function maskText(text: string): string {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  const masked = redact(plain)
  return masked === plain ? text : masked
}
