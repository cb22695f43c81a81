/**
 * One listener: checks that a request is well-formed, finds its route, and runs it under observers.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import { Call, type Observer, observe } from './call.ts'
import { checkWellFormed } from './client-errors.ts'
import { sendProblem } from './problem.ts'
import { createRouter, type RouterOptions } from './router.ts'

/** What a listener serves, and who observes it. */
export interface ListenerOptions extends RouterOptions {
  /** Sees the requests that are not well-formed too. */
  readonly accessLog?: readonly Observer[]
  readonly observers: readonly Observer[]
}

/** Creates the listener. */
export function createListener({
  accessLog = [],
  observers,
  ...options
}: ListenerOptions): RequestListener {
  const { log } = options
  const router = createRouter(options)
  return (request, response) => {
    const call = new Call(request, response)
    if (accessLog.length > 0) observe(call, accessLog)
    try {
      checkWellFormed(request)
    } catch (error) {
      sendProblem(call, { error, log })
      return
    }
    router.match(call)
    if (observers.length > 0) observe(call, observers)
    void router.run(call)
  }
}
