/** Serves built files, compressed if the build has compressed them. Reads each file once. @module */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Call } from './call.ts'
import { encodingOf } from './encoding.ts'
import { notFound } from './problem.ts'
import type { Handler } from './response.ts'

/** Returns the handler of the file that a path names. `missing`: the text of the problem if there is none. */
export function staticFile(
  folder: string,
  nameOf: (params: Call['params']) => string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly missing?: string },
): Handler {
  const cache = new Map<string, { readonly bytes: Buffer; readonly tag: string }>()
  async function find(name: string) {
    const cached = cache.get(name)
    if (cached) return cached
    const bytes = await readFile(join(folder, name)).catch(() => undefined)
    if (!bytes) return undefined
    const file = { bytes, tag: `"${hash('sha256', bytes, 'base64url')}"` }
    cache.set(name, file)
    return file
  }
  return async ({ request, params }) => {
    const name = nameOf(params)
    // Reject hidden files, parent folders, and encoded characters.
    if (!/^(?:[\w-]+\/)*[\w-][\w.-]*$/.test(name)) throw notFound(options.missing)
    const isText = compressible.has(extname(name))
    const encoding = isText ? encodingOf(request.headers['accept-encoding']) : undefined
    const compressed = encoding && (await find(`${name}.${encoding.extension}`))
    const file = compressed ?? (await find(name))
    if (!file) throw notFound(options.missing)
    const { bytes, tag } = file
    const headers = {
      'x-content-type-options': 'nosniff',
      etag: tag,
      ...(isText && { vary: 'accept-encoding' }),
      ...options.headers,
    }
    if (hasTag(request.headers['if-none-match'], tag)) {
      return { status: 304, base: headers }
    }
    const type = types.get(extname(name)) ?? 'application/octet-stream'
    return {
      status: 200,
      base: headers,
      headers: {
        'content-type': type,
        ...(encoding && compressed && { 'content-encoding': encoding.name }),
      },
      body: bytes,
    }
  }
}

/** Files that the build compresses. */
const compressible: ReadonlySet<string> = new Set(['.css', '.js'])

/** Returns whether a header lists a tag. Proxies that compress make tags weak. @see RFC 9110, §13.1.2 */
function hasTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag) ?? false
}

const types: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.woff2', 'font/woff2'],
])
