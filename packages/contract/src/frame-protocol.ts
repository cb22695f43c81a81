/**
 * Messages between the element and the hosted page, version 1. No zod and no DOM: both load this file.
 *
 * `hello` and `init` cross the window. All other messages cross the port that `init` transfers. A reader copies known
 * fields of the right type and drops the others, so a new field or message is a compatible change. The hosted page
 * sends requests only: no text, URL, or payment result.
 *
 * @module
 */

/** Version of this file. */
export const PROTOCOL = 1

/** Maximum height of the first view in CSS pixels, at a width of 320. */
export const FIRST_VIEW = 600

/** Maximum height in CSS pixels that the hosted page can request. */
export const MAX_SIZE = 5000

/** Maximum length of the address in `left`. */
const maxPage = 32_768

/** Why the hosted page failed. The element reads any other code as `internal`. */
export const failCodes = ['origin_not_allowed', 'unauthorized'] as const

/** Window, hosted page to any parent: the supported versions and 128 random bits of this document. */
export interface Hello {
  readonly pi: 'checkout'
  readonly t: 'hello'
  readonly v: readonly number[]
  readonly doc: string
}

/** Window, element to the checkout's origin only, with one port. */
export interface Init {
  readonly pi: 'checkout'
  readonly t: 'init'
  readonly v: number
  readonly doc: string
}

/** Port, hosted page to element. */
export type FromFrame =
  /** The parent's origin is registered. */
  | { readonly t: 'ack' }
  /** Height of the content in CSS pixels: more than 0, at most `MAX_SIZE`. */
  | { readonly t: 'size'; readonly h: number }
  /** The first usable view, or the result of a final intent. */
  | { readonly t: 'ready' }
  /** On from Pay until an outcome, including a challenge. */
  | { readonly t: 'busy'; readonly on: boolean }
  /** The page is about to navigate the top window. */
  | { readonly t: 'leave' }
  /** The page's session has expired. It requests `auth` again, and keeps what the buyer typed. */
  | { readonly t: 'renew' }
  /** The buyer has nothing left to do. Contains no result. */
  | { readonly t: 'finish' }
  /** The buyer canceled. */
  | { readonly t: 'cancel' }
  /** The page failed, and sends nothing more. `test`: the shop's page may show the reason. */
  | { readonly t: 'fail'; readonly code: string; readonly test?: true | undefined }
  | { readonly t: 'pong' }

/** Port, element to hosted page. */
export type FromElement =
  /** BCP 47 tag of the merchant's page. */
  | { readonly t: 'config'; readonly locale: string }
  /** After `ack`, and once for each `renew`: the only message with the secret. */
  | { readonly t: 'auth'; readonly id: string; readonly secret: string }
  /** Address of the merchant's page, including the fragment: a redirect returns there. */
  | { readonly t: 'left'; readonly page: string }
  | { readonly t: 'ping' }

/** Reads a `hello` from a window message. */
export function readHello(data: unknown): Hello | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'hello') return undefined
  const { v, doc } = data
  if (!Array.isArray(v) || v.length > 16 || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'hello', v: v.filter(Number.isInteger), doc }
}

/** Reads an `init` from a window message. */
export function readInit(data: unknown): Init | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'init') return undefined
  const { v, doc } = data
  if (!Number.isInteger(v) || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'init', v: v as number, doc }
}

/** Reads a message of the hosted page from the port. */
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

/** Reads a message of the element from the port. */
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
