/**
 * How one request leaves and its answer comes in: by the given `fetch`, by Node's own HTTP client, or
 * by the platform's `fetch`.
 *
 * In Node the HTTP client answers in half the time of `fetch` and is loaded in a tenth of it. Whoever
 * has replaced `fetch`, or its dispatcher for a proxy, meant it: then `fetch` is used.
 *
 * @module
 */
import { nodeTransport } from './node-transport.ts'

/** A request, the same for every attempt. */
export interface Outgoing {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer whose body is still to be read. */
export interface Reply {
  readonly status: number
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /**
   * Reads the body as text.
   *
   * @returns `undefined` when it has more than `max` bytes.
   */
  readonly text: (max: number) => Promise<string | undefined>
}

/** A request under way. */
export interface Sending {
  /** Rejects when no answer comes. */
  readonly reply: Promise<Reply>
  /** Gives the connection up, also while the body is read. */
  readonly stop: () => void
}

/** Sends once; never follows a redirect. */
export type Transport = (url: string, outgoing: Outgoing) => Sending

/** Chooses the way, per request, so that what a test or a tracer changes later is heeded. */
export function chooseTransport(fetch: typeof globalThis.fetch | undefined): Transport {
  if (fetch) return fetchTransport(fetch)
  const platform = fetchTransport((input, init) => globalThis.fetch(input, init))
  return (url, outgoing) => {
    const send = isFetchUntouched() ? (nodeTransport() ?? platform) : platform
    return send(url, outgoing)
  }
}

function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (url, outgoing) => {
    const controller = new AbortController()
    const { signal } = controller
    const answer = async (): Promise<Reply> => {
      const response = await fetch(url, { ...outgoing, redirect, signal })
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: (max) => readText(response, max),
      }
    }
    return { reply: answer(), stop: () => controller.abort() }
  }
}

// Cloudflare's Workers know no 'error': there the redirect itself comes back, and is refused by status.
const redirect =
  Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers' ? 'manual' : 'error'

const fetchAtImport = globalThis.fetch
const dispatcher = Symbol.for('undici.globalDispatcher.1')

function isFetchUntouched(): boolean {
  if (globalThis.fetch !== fetchAtImport) return false
  // undici's own default is an Agent; a ProxyAgent or a MockAgent was put there by somebody.
  const chosen: unknown = Reflect.get(globalThis, dispatcher)
  return chosen === undefined || chosen?.constructor?.name === 'Agent'
}

async function readText(response: Response, max: number): Promise<string | undefined> {
  const declared = response.headers.get('content-length')
  const encoded = response.headers.has('content-encoding')
  // The platform's own reader is faster, and a plain body cannot be longer than it declared.
  if (declared !== null && !encoded && Number(declared) <= max) return response.text()
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > max) {
      reader.cancel().catch(() => {}) // The connection goes; nobody waits for that.
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
