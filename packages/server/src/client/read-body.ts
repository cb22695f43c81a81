/** Reads a body up to a size: of a stream, or of a message of node:http. @module */
// biome-ignore lint/style/noRestrictedImports: types only
import type { IncomingMessage } from 'node:http'

/** Maximum bytes of a response's body: 256 KB. */
export const maxResponse = 262_144

/** @returns `undefined` if the body is larger than `max` bytes. The rest is not read. */
export async function readText(
  body: ReadableStream<Uint8Array>,
  max: number,
): Promise<string | undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > max) {
      reader.releaseLock()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * Reads a message from the call on, regardless of other listeners: what they make flow before is gone.
 *
 * @returns More than `max` bytes if the body is larger. The rest is discarded.
 * @throws {TypeError} If another listener throws, or emits what is no body.
 * @throws {Error} If the message closes before its end.
 */
export function readMessage(message: IncomingMessage, max: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const take = (chunk: string | Uint8Array): void => {
      if (size > max) return
      // Other code may have called setEncoding().
      const encoding = message.readableEncoding ?? 'utf8'
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
      if (!ArrayBuffer.isView(bytes)) {
        reject(new TypeError('a part of the body is neither text nor bytes'))
        return
      }
      chunks.push(bytes)
      size += bytes.byteLength
      if (size > max) resolve(Buffer.concat(chunks))
    }
    const fail = (): void => {
      if (!message.readableEnded) reject(new Error('the body is incomplete'))
    }
    // HTTP/2 ends a body that is aborted. The others stay: a late error would otherwise end the process.
    message.on('aborted', fail).on('error', reject).on('close', fail)
    message.on('data', take).prependListener('end', () => resolve(Buffer.concat(chunks)))
    // Reads although other code pauses the message, or listens to this event and reads nothing.
    message.on('readable', () => {
      try {
        while (message.read() !== null) {}
      } catch (cause) {
        reject(new TypeError('another listener of the body threw an error', { cause }))
      }
    })
  })
}
