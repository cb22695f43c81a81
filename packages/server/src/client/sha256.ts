/** SHA-256 on every runtime. @module */

/** @returns 64 hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  // The hash of Node.js is synchronous and ten times faster than Web Crypto, which uses another thread.
  const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
