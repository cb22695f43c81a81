/** The rule for the origin of a shop, a checkout, or a test bank. Browsers load this file. @module */

/**
 * Reads an exact web origin.
 *
 * @returns `undefined` unless the value is an https origin, or an http origin on loopback. A trailing slash is a path.
 */
export function readOrigin(value: unknown): string | undefined {
  try {
    // A value that is not a string throws here, or differs from its origin below.
    const { protocol, hostname, origin } = new URL(value as string)
    const secure = protocol === 'https:' || isLoopback(hostname)
    return origin === value && secure && plain.test(origin) ? origin : undefined
  } catch {
    return undefined
  }
}

/** Returns whether a host name always means the local host. */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1]|(.+\.)?localhost)$/.test(hostname)
}

// URL accepts `*`, `;`, and `,` in a host name. In a Content Security Policy they allow a whole domain, or begin a directive.
const plain = /^https?:\/\/[\w.:[\]-]+$/
