/** Responses of long polls that last for minutes. @module */
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { json, jsonHeaders } from '../http/send.ts'

/** Sends the result of a wait. Each pulse sends a space, which JSON ignores, so that no proxy ends the connection. */
export async function longPoll(
  reply: FastifyReply,
  wait: (onPulse: () => void) => Promise<object>,
): Promise<FastifyReply> {
  let pulse = (): void => {}
  const pulsed = new Promise<undefined>((resolve) => {
    pulse = () => resolve(undefined)
  })
  const result = wait(() => pulse())
  const early = await Promise.race([result, pulsed])
  if (early) return json(reply, early)
  const body = new PassThrough()
  pulse = () => void body.write(' ')
  pulse()
  // After an error the client asks again, and gets it then.
  result.then(
    (found) => void body.end(JSON.stringify(found)),
    (error) => void body.destroy(error),
  )
  return reply.headers(jsonHeaders).send(body)
}
