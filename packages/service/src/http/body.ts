/**
 * The body of a request, bounded and never kept: JSON in UTF-8 or nothing.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { limits } from '@pi-checkout/contract'
import { askForBody } from './client-errors.ts'
import { readJson } from './json.ts'
import { ProblemError } from './problem.ts'

/**
 * Reads a JSON body: media type, size, bytes, strict syntax.
 *
 * @param limit `maxBytes` (default 64 KB) and `maxDepth` (default 5 levels).
 */
export async function jsonBody(
  request: IncomingMessage,
  {
    maxBytes = limits.requestBytes,
    maxDepth = limits.requestDepth,
  }: { readonly maxBytes?: number; readonly maxDepth?: number } = {},
): Promise<unknown> {
  checkBodyHeaders(request, maxBytes)
  return readJson(await readBody(request, maxBytes), maxDepth)
}

/**
 * Checks what the headers say of a body, before any of it is read.
 *
 * @throws {ProblemError} `unsupported_media_type` or `payload_too_large`.
 */
export function checkBodyHeaders(request: IncomingMessage, maxBytes: number): void {
  const { headers } = request
  if (!isJson(headers['content-type'] ?? '')) {
    throw new ProblemError(
      'unsupported_media_type',
      'Content-Type must be application/json, with no charset but utf-8.',
      { headers: { 'accept-post': 'application/json' } },
    )
  }
  const encoding = headers['content-encoding']
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new ProblemError(
      'unsupported_media_type',
      'Content-Encoding is not supported; send the body uncompressed.',
      { headers: { 'accept-encoding': 'identity' } },
    )
  }
  checkLength(request, maxBytes)
}

function checkLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/** Whether a media type is JSON in UTF-8. Parameters may be empty. @see RFC 9110, §5.6.6 and §8.3 */
function isJson(contentType: string): boolean {
  // By far the most frequent, and a hot path.
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return (
    type.trim() === 'application/json' &&
    parameters.every((each) => jsonParameters.has(each.trim()))
  )
}

const jsonParameters: ReadonlySet<string> = new Set(['', 'charset=utf-8', 'charset="utf-8"'])

/** Reads the bytes of a body, up to a limit that a missing Content-Length does not escape. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    checkLength(request, maxBytes)
    askForBody(request)
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
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, size))
    })
    request.on('error', () => reject(brokenOff()))
    request.on('close', () => {
      // It comes after every body; an error costs a stack trace, so none is made for nothing.
      if (!request.complete) reject(brokenOff())
    })
  })
}

/** The client has closed the connection: no response is read. */
function brokenOff(): ProblemError {
  return new ProblemError('request_timeout', 'The body broke off.')
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError('payload_too_large', `The body must be at most ${maxBytes} bytes.`)
}
