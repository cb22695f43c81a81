/** Sends requests with `fetch`. @module */
import { readText } from './read-text.ts'
import type { Transport, TransportResponse } from './transport.ts'

/** Whether the runtime is Cloudflare Workers, also with the modules of Node.js. */
export const isWorkers = Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers'

/** Returns a transport that uses `fetch`. A redirect is an error. */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (url, request) => {
    const controller = new AbortController()
    const { signal } = controller
    const send = async (): Promise<TransportResponse> => {
      const response = await fetch(url, { ...request, redirect, signal })
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: (max) => readBody(response, max),
      }
    }
    return { response: send(), stop: () => controller.abort() }
  }
}

// Workers do not support 'error'. There the redirect is returned and rejected by its status.
const redirect = isWorkers ? 'manual' : 'error'

async function readBody(response: Response, max: number): Promise<string | undefined> {
  const length = response.headers.get('content-length')
  const encoded = response.headers.has('content-encoding')
  // The platform's reader is faster, and a body without encoding cannot exceed its Content-Length.
  if (length !== null && !encoded && Number(length) <= max) return response.text()
  if (!response.body) return response.text()
  const text = await readText(response.body, max)
  if (text === undefined) response.body.cancel().catch(() => {})
  return text
}
