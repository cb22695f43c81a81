/** A request of Node.js as a `Request`. @module */
import type { IncomingMessage } from 'node:http'
import { maxHandoffBody } from '../checkout/parse-request.ts'
import { HandoffRejection } from '../checkout/problem.ts'
import { readMessage } from '../client/read-body.ts'

export interface NodeRequest {
  readonly message: IncomingMessage
  /** Path and query. */
  readonly url: string
  /** Has the property `body` if a body parser has read it. */
  readonly parsed: object
}

/** Begins to read the body immediately. The checks that need no body do not wait for it. */
export function requestOf({ message, url, parsed }: NodeRequest): Request {
  const { method = 'GET' } = message
  // The Fetch API does not have these methods.
  if (/^(?:trace|connect|track)$/i.test(method)) throw new HandoffRejection('method_not_allowed')
  const start = async (controller: ReadableStreamDefaultController): Promise<void> => {
    controller.enqueue(await readBody(message, parsed))
    controller.close()
  }
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // The host is a placeholder, because a client chooses `Host`.
  return new Request(`http://localhost${url}`, {
    method,
    headers: headersOf(message),
    ...(hasBody ? { body: new ReadableStream({ start }), duplex: 'half' } : {}),
  })
}

/** Adapters of function platforms set `headers` only, and `rawHeaders` is empty. */
function headersOf({ headers }: IncomingMessage): [string, string][] {
  // HTTP/2 has pseudo-headers such as `:path`.
  const names = Object.keys(headers).filter((name) => name[0] !== ':')
  return names.flatMap((name) => [headers[name] ?? []].flat().map((value) => [name, value]))
}

async function readBody(message: IncomingMessage, parsed: object): Promise<Uint8Array> {
  if (message.readableDidRead || message.readableEnded) {
    return parsedBytes(parsed, message.headers['content-type'])
  }
  // A client that disconnected before emits no further event.
  if (message.destroyed) throw new HandoffRejection('body_incomplete')
  return await readMessage(message, maxHandoffBody).catch((error: Error) => {
    // A connection that closes is not reported, a mistake of the shop is.
    if (!(error instanceof TypeError)) throw error
    throw new HandoffRejection('internal_error', `body: ${error.message}.`, error)
  })
}

/** Writes again what a body parser has read. */
function parsedBytes(parsed: object, type = ''): Uint8Array {
  const body = parsedBody(parsed)
  try {
    const text = textOf(body, type)
    if (text !== undefined) return new TextEncoder().encode(text)
  } catch (error) {
    throw new HandoffRejection('body_already_read', undefined, error)
  }
  throw new HandoffRejection('body_already_read')
}

function parsedBody(parsed: object): unknown {
  try {
    return Reflect.get(parsed, 'body')
  } catch (error) {
    // Function platforms parse it here.
    throw new HandoffRejection('malformed_json', 'body: request.body throws an error.', error)
  }
}

/** @returns `undefined` for an instance of a class, which JSON would make an empty object. */
function textOf(body: unknown, type: string): string | undefined {
  if (ArrayBuffer.isView(body)) {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  }
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return JSON.stringify(body)
  const prototype: unknown = Object.getPrototypeOf(body)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined
  const isForm = /^application\/x-www-form-urlencoded/i.test(type)
  return isForm ? String(new URLSearchParams({ ...body })) : JSON.stringify(body)
}
