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

/** Height of the first view in CSS pixels, at every width from 320. */
export const FIRST_VIEW = 532

/** Maximum height in CSS pixels that the hosted page can request. */
export const MAX_SIZE = 5000

/** Maximum length of the address in `left`. */
const maxPage = 32_768

/** Maximum length of the appearance in `config`. */
const maxAppearance = 2048

/** `#` and three or six hexadecimal digits. The page uses `light` or `dark` by its color scheme. */
export type AppearanceColor = string | { readonly light: string; readonly dark: string }

/**
 * Look of the hosted page: values, not CSS. It accepts these tokens only. In a test environment it reports values
 * that it rejects on the console.
 */
export interface Appearance {
  /**
   * Color scheme.
   * @default 'auto', the `color-scheme` of the element
   */
  readonly colorScheme?: 'auto' | 'light' | 'dark' | undefined
  /**
   * Color of the pay button. Links and the focus ring use it too, if it can be read on the background.
   * @default Blue
   */
  readonly accent?: AppearanceColor | undefined
  /**
   * Color behind the form: light, as #e7e7e7 or lighter, or dark, as #343434 or darker. Texts fit it.
   * @default White, or nearly black
   */
  readonly background?: AppearanceColor | undefined
}

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
  /** The buyer can use the form: at first, and again if a payment is declined after `finish`. */
  | { readonly t: 'ready' }
  /** On from Pay until an outcome, including a challenge. */
  | { readonly t: 'busy'; readonly on: boolean }
  /** The page is about to navigate the top window. */
  | { readonly t: 'leave' }
  /** The page's session has expired. It requests `auth` again, and keeps what the buyer typed. */
  | { readonly t: 'renew' }
  /** The buyer has nothing left to do, perhaps from the first view on. Contains no result. */
  | { readonly t: 'finish' }
  /** The buyer canceled. */
  | { readonly t: 'cancel' }
  /** The page failed, and sends nothing more. */
  | { readonly t: 'fail'; readonly code: string }
  | { readonly t: 'pong' }

/** Port, element to hosted page. */
export type FromElement =
  /**
   * BCP 47 tag of the merchant's page, and its `Appearance` as JSON, which the hosted page validates. `shop`: the merchant's
   * server has not confirmed the result that the hosted page shows. It is late, or could not be asked.
   */
  | {
      readonly t: 'config'
      readonly locale: string
      readonly appearance?: string | undefined
      readonly shop?: 'late' | 'failed' | undefined
    }
  /** After `ack`, and once for each `renew`: the only message with the secret. */
  | { readonly t: 'auth'; readonly id: string; readonly secret: string }
  /** Address of the merchant's page, including the fragment: a redirect returns there. */
  | { readonly t: 'left'; readonly page: string }
  | { readonly t: 'ping' }

export function readHello(data: unknown): Hello | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'hello') return undefined
  const { v, doc } = data
  if (!Array.isArray(v) || v.length > 16 || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'hello', v: v.filter(Number.isInteger), doc }
}

export function readInit(data: unknown): Init | undefined {
  if (!isRecord(data) || data.pi !== 'checkout' || data.t !== 'init') return undefined
  const { v, doc } = data
  if (!Number.isInteger(v) || !isDocument(doc)) return undefined
  return { pi: 'checkout', t: 'init', v: v as number, doc }
}

export function readFromFrame(data: unknown): FromFrame | undefined {
  if (!isRecord(data)) return undefined
  const { t, h, on, code } = data
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
      return typeof code === 'string' ? { t, code } : undefined
    default:
      return undefined
  }
}

export function readFromElement(data: unknown): FromElement | undefined {
  if (!isRecord(data)) return undefined
  const { t, locale, appearance, shop, id, secret, page } = data
  switch (t) {
    case 'ping':
      return { t }
    case 'config':
      if (!isText(locale, 64)) return undefined
      return {
        t,
        locale,
        appearance: isText(appearance, maxAppearance) ? appearance : undefined,
        shop: shop === 'late' || shop === 'failed' ? shop : undefined,
      }
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
