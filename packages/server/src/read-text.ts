/**
 * A body as text, within a size.
 *
 * @module
 */

/** @returns `undefined` when the body has more than `max` bytes; the rest is left unread. */
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
