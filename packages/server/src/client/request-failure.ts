/** Why a request failed, and whether another one may succeed. @module */
import { advices } from './error-codes.ts'
import type { PiErrorFacts } from './errors.ts'
import type { Settings } from './options.ts'
import { causeWithoutSecrets, withoutSecrets } from './secrets.ts'
import { isRejectedCertificate, NotSent, transportCode } from './transport.ts'

export interface RequestFailure extends Omit<PiErrorFacts, 'idempotencyKey'> {
  /** What happened, to follow the title of the operation. */
  readonly event: string
  /** Milliseconds. */
  readonly retryAfter?: number | undefined
}

/** Returns the failure of a request to which no complete response arrived. */
export function transportFailure(error: unknown, { baseUrl, apiKey }: Settings): RequestFailure {
  const found = transportCode(error)
  const reported = found === undefined ? undefined : withoutSecrets(found, apiKey).slice(0, 64)
  const cause = causeWithoutSecrets(error, apiKey)
  if (!(error instanceof NotSent)) {
    const event = `got no complete response (${reported ?? 'connection lost'})`
    return failure({ code: 'connection_lost', retryable: true, event, cause })
  }
  const outcome = 'not_sent'
  if (reported !== undefined && isTlsFailure(reported)) {
    const event = `could not be sent: the TLS handshake failed (${reported}), ${advices.tls_failed}`
    // The same certificate and settings fail again.
    return failure({ code: 'tls_failed', outcome, event, cause })
  }
  const event = `could not be sent to ${new URL(baseUrl).origin} (${reported ?? 'no connection'})`
  const { retryable } = error
  return failure({ code: 'not_connected', outcome, retryable, event, cause })
}

/** By default an intent may exist and a retry does not help. */
export function failure(
  facts: Pick<RequestFailure, 'code' | 'event'> & Partial<RequestFailure>,
): RequestFailure {
  return { outcome: 'unknown', retryable: false, ...facts }
}

// A peer without TLS or without a common version, and OpenSSL's alerts: the peer rejects the certificate or handshake.
const rejectedHandshake =
  /^ERR_SSL_(?:(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|HTTP_REQUEST)$|\w{0,16}ALERT_(?:\w{0,16}CERTIFICATE|(?:UNKNOWN_CA|HANDSHAKE_FAILURE|PROTOCOL_VERSION|ACCESS_DENIED|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL)$))/

// Node.js also reports a failed handshake as EPROTO.
function isTlsFailure(code: string): boolean {
  return code === 'EPROTO' || isRejectedCertificate(code) || rejectedHandshake.test(code)
}
