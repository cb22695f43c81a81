/**
 * One rule for the origin of a shop, a checkout or a bank. No zod here: browsers read it too.
 *
 * @module
 */

/**
 * Reads an exact web origin.
 *
 * @returns `undefined` unless it is https, or http on loopback, and nothing but an origin: a trailing
 * slash is a path.
 */
export function readOrigin(value: unknown): string | undefined {
  try {
    // Whatever is no text throws here or differs below.
    const { protocol, hostname, origin } = new URL(value as string)
    const secure = protocol === 'https:' || isLoopback(hostname)
    return origin === value && secure && plain.test(origin) ? origin : undefined
  } catch {
    return undefined
  }
}

/** Tells whether a host name can only be this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1]|(.+\.)?localhost)$/.test(hostname)
}

// URLs take `*`, `;` and `,` in a host name. In a policy the first is a whole domain, and the others
// begin something new.
const plain = /^https?:\/\/[\w.:[\]-]+$/
