/** Random ids in base62. @module */
import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns random base62 characters. Six of them have 32 random bits. */
export function randomBase62(length: number): string {
  return toBase62(randomBytes(Math.ceil(length / 6) * 4)).slice(0, length)
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
  for (let at = 0; at < bytes.length; at += 4) {
    let digits = ''
    for (let rest = bytes.readUInt32BE(at); digits.length < 6; rest = Math.floor(rest / 62)) {
      digits = alphabet[rest % 62] + digits
    }
    text += digits
  }
  return text
}
