/** Responses of long polls that last for minutes. @module */
import type { Writable } from 'node:stream'
import { jsonHeaders, type RouteResponse } from '../http/response.ts'

/** Sends the result of a wait. Each pulse sends a space, which JSON ignores, so that no proxy ends the connection. */
export async function longPoll(
  wait: (onPulse: () => void) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  let pulse = (): void => {}
  const pulsed = new Promise<undefined>((resolve) => {
    pulse = () => resolve(undefined)
  })
  const result = wait(() => pulse())
  const early = await Promise.race([result, pulsed])
  if (early) return early
  const body = async (out: Writable): Promise<void> => {
    pulse = () => void out.write(' ')
    pulse()
    try {
      out.end((await result).body)
    } catch {
      // The client gets the error when it asks again.
      out.destroy()
    }
  }
  return { status: 200, base: jsonHeaders, body }
}
