/**
 * Short bodies that an adapter holds already: a web stream around one costs more than the answer.
 *
 * @module
 */

const bodies = new WeakMap<Request | Response, string>()

/** Says what the body of a message is. A request that is noted so has none of its own. */
export function noteBody<Message extends Request | Response>(
  message: Message,
  body: string,
): Message {
  bodies.set(message, body)
  return message
}

/** @returns `undefined` when the message itself has to be read. */
export function knownBody(message: Request | Response): string | undefined {
  return bodies.get(message)
}
