/**
 * Version 1 of what the element and the hosted page say to each other. No zod and no DOM here.
 *
 * `hello` and `init` cross the window; everything else crosses the port that `init` brings. A reader
 * copies known fields of the right type and drops everything else, so a new field or message is a
 * compatible change. What the page sends is a wish: no text, URL or result is among it.
 *
 * @module
 */

/** The version that this file describes. */
export const PROTOCOL = 1

/** Height in CSS pixels that the page's first view keeps to at 320 pixels of width. */
export const FIRST_VIEW = 600

/** Greatest height in CSS pixels that the page may ask for. */
export const MAX_SIZE = 5000

/** Greatest length of the address in `left`. */
const maxPage = 32_768

/** Why the hosted page gave up; the element reads any other code as `internal`. */
export const failCodes = ['origin_not_allowed', 'unauthorized'] as const

/** Window, page to any parent: the versions it speaks and 128 random bits of this document. No data. */
export interface Hello {
  readonly pi: 'checkout'
  readonly t: 'hello'
  readonly v: readonly number[]
  readonly doc: string
}

/** Window, element to exactly the checkout's origin, with one port. */
export interface Init {
  readonly pi: 'checkout'
  readonly t: 'init'
  readonly v: number
  readonly doc: string
}

/** Port, page to element. */
export type FromFrame =
  /** The page's own list of origins holds this parent. */
  | { readonly t: 'ack' }
  /** Height of the content, in CSS pixels: over 0, at most `MAX_SIZE`. */
  | { readonly t: 'size'; readonly h: number }
  /** The first usable view, or the result of a settled intent. */
  | { readonly t: 'ready' }
  /** From Pay until an outcome, challenge included. */
  | { readonly t: 'busy'; readonly on: boolean }
  /** The page is about to move the top window. */
  | { readonly t: 'leave' }
  /** The page's session has ended: it asks for `auth` again, and keeps what the buyer typed. */
  | { readonly t: 'renew' }
  /** Nothing is left to do for the buyer. Says nothing of the result. */
  | { readonly t: 'finish' }
  /** The buyer left on purpose. */
  | { readonly t: 'cancel' }
  /** The page gives up, and is silent afterwards. In a test environment the shop's page may explain. */
  | { readonly t: 'fail'; readonly code: string; readonly test?: true | undefined }
  | { readonly t: 'pong' }

/** Port, element to page. */
export type FromElement =
  /** BCP 47 tag of the merchant's page. */
  | { readonly t: 'config'; readonly locale: string }
  /** After `ack`, and once for each `renew`: the only crossing of the secret. */
  | { readonly t: 'auth'; readonly id: string; readonly secret: string }
  /** The merchant page's own address, fragment included: where a redirect returns to. */
  | { readonly t: 'left'; readonly page: string }
  | { readonly t: 'ping' }

/** Reads a `hello` off a window message. */
export function readHello(data: unknown): Hello | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'hello') return undefined
  const { v, doc } = data
  if (!Array.isArray(v) || v.length > 16 || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'hello', v: v.filter(Number.isInteger), doc }
}

/** Reads an `init` off a window message. */
export function readInit(data: unknown): Init | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'init') return undefined
  const { v, doc } = data
  if (!Number.isInteger(v) || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'init', v: v as number, doc }
}

/** Reads what the hosted page says on the port. */
export function readFromFrame(data: unknown): FromFrame | undefined {
  if (!isRecord(data)) return undefined
  const { t, h, on, code, test } = data
  switch (t) {
    case 'ack':
    case 'ready':
    case 'leave':
    case 'renew':
    case 'finish':
    case 'cancel':
    case 'pong':
      return { t }
    case 'size':
      return typeof h === 'number' && h > 0 && h <= MAX_SIZE ? { t, h: Math.ceil(h) } : undefined
    case 'busy':
      return typeof on === 'boolean' ? { t, on } : undefined
    case 'fail':
      return typeof code === 'string' ? { t, code, test: test === true || undefined } : undefined
    default:
      return undefined
  }
}

/** Reads what the element says on the port. */
export function readFromElement(data: unknown): FromElement | undefined {
  if (!isRecord(data)) return undefined
  const { t, locale, id, secret, page } = data
  switch (t) {
    case 'ping':
      return { t }
    case 'config':
      return isText(locale, 64) ? { t, locale } : undefined
    case 'auth':
      return isText(id, 128) && isText(secret, 512) ? { t, id, secret } : undefined
    case 'left':
      return isText(page, maxPage) ? { t, page } : undefined
    default:
      return undefined
  }
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max
}

function isDocument(doc: unknown): doc is string {
  return typeof doc === 'string' && /^[\w-]{16,64}$/.test(doc)
}
