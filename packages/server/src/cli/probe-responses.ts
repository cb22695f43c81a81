/** The responses of a probed service. @module */
import type { ErrorMatch } from '@pi-checkout/contract/profile'
import { valueAt } from '../client/error-meaning.ts'

/** One response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** `undefined` if it is no JSON. */
  readonly body: unknown
}

/** What the requests of a probe have returned. */
export interface Observed {
  readonly id: string
  readonly currency: string
  readonly first: Answer
  readonly replay: Answer
  readonly reused: Answer
  readonly invalid: Answer
  /** With customer and metadata. */
  readonly full: Answer
  readonly retrieved: Answer
  readonly unknown: Answer
  readonly wrongKey: Answer
  readonly foreign: Answer | undefined
}

/** Returns whether the service has executed the request. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

/** Returns a text in a response. */
export function stringAt({ body }: Answer, name: string): string | undefined {
  const value: unknown = Reflect.get(Object(body), name)
  return typeof value === 'string' ? value : undefined
}

/** Returns how an error response is recognized. */
export function matchOf({ status, body }: Answer, pointer: string | null): ErrorMatch {
  const code = valueAt(body, pointer)
  return typeof code === 'string' ? { status, code } : { status }
}
