/** What the service learns about a request while it serves it, for its logs. @module */
import type { ServerResponse } from 'node:http'
import type { ProblemError } from './problem.ts'

interface LoggedIntent {
  readonly id: string
  readonly orderId: string
  readonly amount: number
  readonly currency: string
}

export interface Facts {
  /** Time of `performance.now()`, in milliseconds. */
  readonly startedAt: number
  /** Environment of the API key, or of the intent of a hosted page. */
  environment: { readonly id: string; readonly mode: 'test' | 'live' } | undefined
  /** Intent that the request created or read. */
  intent: LoggedIntent | undefined
  /** Origin of a page that requested a hosted page and is not registered. */
  unregisteredOrigin: string | undefined
  replayed: boolean
  /** Faults that the sandbox applied. */
  faults: readonly string[]
  /** Body of the request, if it was read. */
  sentBody: string | undefined
  /** Body of the response, if it is a text. */
  responseBody: string | undefined
  /** Error that the response contains. */
  problem: ProblemError | undefined
}

export function newFacts(): Facts {
  return {
    startedAt: performance.now(),
    environment: undefined,
    intent: undefined,
    unregisteredOrigin: undefined,
    replayed: false,
    faults: [],
    sentBody: undefined,
    responseBody: undefined,
    problem: undefined,
  }
}

/**
 * Calls `record` when a response has ended, with its HTTP status, or 0 if the connection closed before all of it was sent.
 * fastify's hook `onResponse` does not run then.
 */
export function whenEnded(response: ServerResponse, record: (status: number) => void): void {
  let status = 0
  response.once('finish', () => {
    status = response.statusCode
  })
  response.once('close', () => record(status))
}
