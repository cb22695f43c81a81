/**
 * SHA-256 wherever the helper runs.
 *
 * @module
 */

/** @returns 32 bytes. */
export async function sha256(text: string): Promise<Uint8Array> {
  // Node's own hash is synchronous and ten times faster than WebCrypto's trip to another thread.
  const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (nodeCrypto) return nodeCrypto.createHash('sha256').update(text).digest()
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
