/** Sends requests with `fetch`. @module */
import { NotSent, type Transport, transportCode } from './transport.ts'

export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return async (url, request) => {
    try {
      // With 'error', which Workers do not support, only the message would show that it was a redirect.
      const response = await fetch(url, { ...request, redirect: 'manual' })
      // Some runtimes hide the status of a redirect.
      const isHidden = response.type === 'opaqueredirect'
      return isHidden ? new Response(null, { status: 307 }) : response
    } catch (error) {
      throw neverSent(error) ? new NotSent(error) : error
    }
  }
}

// Name resolution and connecting precede the request (codes of Node.js, then of Bun).
const noConnection =
  /^(ENOTFOUND|EAI_\w{1,16}|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/

// Deno has texts instead: hyper's of this phase, in the message or its cause.
const noConnectionText =
  /client error \(Connect\)|error trying to connect|Connection refused \(os error \d+\)/

// The client rejected the service's certificate: OpenSSL's errors and the host name check of Node.js. Other failures of TLS
// have the same codes after the request was sent.
const rejectedCertificate =
  /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/

function neverSent(error: unknown): boolean {
  const code = transportCode(error)
  if (code !== undefined) return noConnection.test(code) || rejectedCertificate.test(code)
  const errors = error instanceof TypeError ? [error, error.cause] : []
  return errors.some((each) => each instanceof Error && noConnectionText.test(each.message))
}
