/**
 * A given `fetch` as a transport.
 *
 * @module
 */
import { readText } from './read-text.ts'
import type { Reply, Transport } from './transport.ts'

/** Sends by `fetch`; a redirect is a failure. */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (url, outgoing) => {
    const controller = new AbortController()
    const { signal } = controller
    const answer = async (): Promise<Reply> => {
      const response = await fetch(url, { ...outgoing, redirect, signal })
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: (max) => readBody(response, max),
      }
    }
    return { reply: answer(), stop: () => controller.abort() }
  }
}

// Cloudflare's Workers know no 'error': there the redirect itself comes back, and is refused by status.
const redirect =
  Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers' ? 'manual' : 'error'

async function readBody(response: Response, max: number): Promise<string | undefined> {
  const declared = response.headers.get('content-length')
  const encoded = response.headers.has('content-encoding')
  // The platform's own reader is faster, and a plain body cannot be longer than it declared.
  if (declared !== null && !encoded && Number(declared) <= max) return response.text()
  if (!response.body) return response.text()
  const text = await readText(response.body, max)
  // The connection goes; nobody waits for that.
  if (text === undefined) response.body.cancel().catch(() => {})
  return text
}
