/** Reads request bodies of limited size: JSON in UTF-8, and forms. @module */
import type { IncomingMessage } from 'node:http'
import { limits } from '@pi-checkout/contract'
import { sendContinue } from './client-errors.ts'
import { readJson } from './json.ts'
import { ProblemError } from './problem.ts'
import { singleHeader } from './single-header.ts'

/** Reads a JSON body. Checks media type, size, encoding, and strict syntax. */
export async function jsonBody(
  request: IncomingMessage,
  { maxBytes = limits.requestBytes }: { readonly maxBytes?: number } = {},
): Promise<unknown> {
  checkBodyHeaders(request, maxBytes)
  return readJson(await readBody(request, maxBytes))
}

/** Reads the fields of a form. A body of another type has none. */
export async function formBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<(name: string) => string> {
  checkEncoding(request)
  const { 'content-type': type = '' } = request.headers
  const isForm = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)
  const text = isForm ? (await readBody(request, maxBytes)).toString('utf8') : ''
  const fields = new URLSearchParams(text)
  return (name) => fields.get(name) ?? ''
}

export function checkBodyHeaders(request: IncomingMessage, maxBytes: number): void {
  if (!isJson(singleHeader(request, 'content-type') ?? '')) {
    throw new ProblemError(
      'unsupported_media_type',
      'Content-Type must be application/json, with no charset other than utf-8.',
      { headers: { 'accept-post': 'application/json' } },
    )
  }
  checkEncoding(request)
  checkLength(request, maxBytes)
}

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (!encoding || encoding.toLowerCase() === 'identity') return
  throw new ProblemError(
    'unsupported_media_type',
    'Content-Encoding is not supported. Send the body uncompressed.',
    { headers: { 'accept-encoding': 'identity' } },
  )
}

function checkLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/** Returns whether a media type is JSON in UTF-8. Parameters may be empty. @see RFC 9110, §5.6.6 and §8.3 */
function isJson(contentType: string): boolean {
  // Most requests send exactly this, and this is a hot path.
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return (
    type.trim() === 'application/json' &&
    parameters.every((each) => jsonParameters.has(each.trim()))
  )
}

const jsonParameters: ReadonlySet<string> = new Set(['', 'charset=utf-8', 'charset="utf-8"'])

/** Reads the bytes of a body. Counts them too, because a chunked body has no Content-Length. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    checkLength(request, maxBytes)
    sendContinue(request)
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        request.removeAllListeners('data')
        request.pause()
        reject(tooLarge(maxBytes))
      } else {
        chunks.push(chunk)
      }
    })
    request.on('end', () => {
      const [only] = chunks
      const body = only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
      const read: ReadRequest = request
      read[readBytes] = body
      resolve(body)
    })
    request.on('error', () => reject(incomplete()))
    request.on('close', () => {
      // `close` follows every body. Creating an error is slow, so create one only if it is needed.
      if (!request.complete) reject(incomplete())
    })
  })
}

/** Returns the body that `readBody` read from a request, for observers. */
export function bodyOf(request: ReadRequest): Buffer | undefined {
  return request[readBytes]
}

const readBytes = Symbol('read bytes')

interface ReadRequest extends IncomingMessage {
  [readBytes]?: Buffer
}

/** Creates the error for the log. The client closed the connection, so it does not receive it. */
function incomplete(): ProblemError {
  return new ProblemError('request_timeout', 'The connection closed before the body was complete.')
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError('payload_too_large', `The body must be at most ${maxBytes} bytes.`)
}
