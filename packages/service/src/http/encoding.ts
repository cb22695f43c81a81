/** Compression of responses. Only for content without secrets, whose length would reveal them. @module */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Call } from './call.ts'
import type { RouteResponse } from './response.ts'

/** A content coding, and the extension of a file in it. */
export type Encoding = (typeof encodings)[number]

const encodings = [
  { name: 'br', extension: 'br' },
  { name: 'gzip', extension: 'gz' },
] as const

/** Returns the smallest encoding that a client accepts. @see RFC 9110, §12.5.3 */
export function encodingOf(accepted = ''): Encoding | undefined {
  const names = new Set<string>()
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) names.add(name)
  }
  return encodings.find(({ name }) => names.has(name))
}

/** Compresses a text for the client of a call. */
export function compressed(
  { request }: Call,
  response: RouteResponse & { readonly body: string },
): RouteResponse {
  const encoding = encodingOf(request.headers['accept-encoding'])
  const headers = { ...response.headers, vary: 'accept-encoding' }
  if (!encoding) return { ...response, headers }
  const body =
    encoding.name === 'br' ? brotliCompressSync(response.body, fast) : gzipSync(response.body)
  return { ...response, headers: { ...headers, 'content-encoding': encoding.name }, body }
}

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
