/** Why a request failed, and whether another one may succeed. @module */
import type { PiErrorFacts } from './errors.ts'
import type { Settings } from './options.ts'
import { causeWithoutSecrets, withoutSecrets } from './secrets.ts'
import { NotSent, transportCode } from './transport.ts'

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
  const event = `could not be sent to ${new URL(baseUrl).origin} (${reported ?? 'no connection'})`
  return failure({ code: 'not_connected', outcome: 'not_sent', retryable: true, event, cause })
}

/** By default an intent may exist and a retry does not help. */
export function failure(
  facts: Pick<RequestFailure, 'code' | 'event'> & Partial<RequestFailure>,
): RequestFailure {
  return { outcome: 'unknown', retryable: false, ...facts }
}
