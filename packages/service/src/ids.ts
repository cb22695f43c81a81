/** Random ids. @module */
import { randomInt, randomUUID } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a prefix and random letters and digits, all of them equally likely. */
export function newId(prefix: string, length: number): string {
  let id = prefix
  for (let at = 0; at < length; at++) id += alphabet[randomInt(alphabet.length)]
  return id
}

/** Returns the id of a request: each one has one, so its random digits are those that cost least. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '').slice(-20)}`
}

/** Ids of intents. Others are unknown without a look-up. */
export const intentIdPattern = /^pi_[A-Za-z0-9]{24}$/
