/** A request whose body arrives in a limited number of chunks. @module */
import { IncomingMessage } from 'node:http'

/**
 * Each chunk takes about 300 bytes of memory and a call, also if it contains one byte. A body of the maximum size needs
 * fewer, even on a line with the smallest segments.
 */
export const maxChunks = 256

/** Disconnects a client that sends its body in more than `maxChunks` chunks, also if no handler reads the body. */
export class BoundedRequest extends IncomingMessage {
  #chunks = 0

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk)
    this.#chunks++
    if (this.#chunks <= maxChunks) return super.push(chunk, encoding)
    this.socket.destroy()
    return false
  }
}
