/**
 * Creates a request listener, which checks that requests are well-formed, routes them, and records them.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import { Call, type Observer, observe } from './call.ts'
import { checkWellFormed } from './client-errors.ts'
import { sendProblem } from './problem.ts'
import { createRouter, type RouterOptions } from './router.ts'

/** Options of a listener. */
export interface ListenerOptions extends RouterOptions {
  /** Records all requests, including those that are not well-formed. */
  readonly accessLog?: readonly Observer[]
  /** Records well-formed requests. */
  readonly observers: readonly Observer[]
}

/** Creates a request listener. */
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
