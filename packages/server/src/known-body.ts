/**
 * Short bodies that an adapter holds already: a web stream around one costs more than the answer.
 *
 * @module
 */

/** Why a request has no body that could be read, as the code of the problem. */
export interface MissingBody {
  readonly code: 'body_already_read' | 'body_incomplete'
}

const bodies = new WeakMap<Request | Response, string | MissingBody>()

/** Says what the body of a message is. A request that is noted so has none of its own. */
export function noteBody<Message extends Request | Response>(
  message: Message,
  body: string | MissingBody,
): Message {
  bodies.set(message, body)
  return message
}

/** @returns `undefined` when the message itself has to be read. */
export function knownBody(message: Request | Response): string | MissingBody | undefined {
  return bodies.get(message)
}
