/** Sends requests with `fetch`. @module */
import { readText } from './read-body.ts'
import {
  isRejectedCertificate,
  maxResponse,
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
          throw neverSent(error) ? new NotSent(error) : error
        },
      )
      return {
        // Some runtimes hide the status of a redirect.
        status: response.type === 'opaqueredirect' ? 307 : response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: () => readBody(response),
      }
    }
    return { response: send(), stop: () => controller.abort() }
  }
}

// Name resolution and connecting precede the request (codes of Node.js, then of Bun).
const noConnection =
  /^(ENOTFOUND|EAI_\w{1,16}|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

// Deno has texts instead: hyper's of this phase, in the message or its cause.
const noConnectionText =
  /client error \(Connect\)|error trying to connect|Connection refused \(os error \d+\)/

// Other failures of TLS have the same codes after the request was sent.
function neverSent(error: unknown): boolean {
  const code = transportCode(error)
  if (code !== undefined) return noConnection.test(code) || isRejectedCertificate(code)
  const errors = error instanceof TypeError ? [error, error.cause] : []
  return errors.some((each) => each instanceof Error && noConnectionText.test(each.message))
}

async function readBody(response: Response): Promise<string | undefined> {
  if (!response.body) return response.text()
  const text = await readText(response.body, maxResponse)
  if (text === undefined) response.body.cancel().catch(() => {})
  return text
}
