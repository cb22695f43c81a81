/** Sends requests with `fetch`. @module */
import { readText } from './read-text.ts'
import {
  isRejectedCertificate,
  NotSent,
  type Transport,
  type TransportResponse,
  transportCode,
} from './transport.ts'

export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (url, request) => {
    const controller = new AbortController()
    const { signal } = controller
    const send = async (): Promise<TransportResponse> => {
      // With 'error', which Workers do not support, only the message would show that it was a redirect.
      const response = await fetch(url, { ...request, redirect: 'manual', signal }).catch(
        (error: unknown) => {
          throw neverSent(transportCode(error)) ? new NotSent(error) : error
        },
      )
      return {
        // Some runtimes hide the status of a redirect.
        status: response.type === 'opaqueredirect' ? 307 : response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: (max) => readBody(response, max),
      }
    }
    return { response: send(), stop: () => controller.abort() }
  }
}

// Name resolution and connecting precede the request (codes of Node.js, then of Bun).
const noConnection =
  /^(ENOTFOUND|EAI_\w{1,16}|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

// Other failures of TLS have the same codes after the request was sent.
function neverSent(code: string | undefined): boolean {
  return code !== undefined && (noConnection.test(code) || isRejectedCertificate(code))
}

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
