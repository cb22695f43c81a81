/** Random ids in base62. @module */
import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns random base62 characters, each equally likely. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      // 248 is the largest multiple of 62 in a byte. Larger bytes would make some characters more likely.
      if (byte < 248) text += alphabet[byte % 62]
    }
  }
  return text
}

export function newIntentId(): string {
  return `pi_${randomBase62(24)}`
}

/** Others are unknown without a look-up. */
export const intentIdPattern = /^pi_[A-Za-z0-9]{24}$/

export function newProviderPaymentId(): string {
  return `sim_${randomBase62(24)}`
}

export function newRequestId(): string {
  return `req_${randomBase62(20)}`
}

/** Encodes bytes in base62, 4 bytes as 6 characters. */
export function toBase62(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) text += base62Digits(bytes.readUInt32BE(at), 6)
  return text
}

/** Encodes an unsigned 32-bit number with the given number of base62 digits. */
export function base62Digits(value: number, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / 62)) {
    text = alphabet[rest % 62] + text
  }
  return text
}
