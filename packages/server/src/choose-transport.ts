/**
 * Which way a request takes: the given `fetch`, Node's own HTTP client, or the platform's `fetch`.
 *
 * In Node the HTTP client answers in half the time of `fetch` and is loaded in a tenth of it. Whoever
 * has replaced `fetch`, or its dispatcher for a proxy, meant it: then `fetch` is used.
 *
 * @module
 */
import { fetchTransport } from './fetch-transport.ts'
import { nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** Chooses the way, per request, so that what a test or a tracer changes later is heeded. */
export function chooseTransport(fetch: typeof globalThis.fetch | undefined): Transport {
  if (fetch) return fetchTransport(fetch)
  const platform = fetchTransport((input, init) => globalThis.fetch(input, init))
  return (url, outgoing) => {
    const send = isFetchUntouched() ? (nodeTransport() ?? platform) : platform
    return send(url, outgoing)
  }
}

const fetchAtImport = globalThis.fetch
const dispatcher = Symbol.for('undici.globalDispatcher.1')

function isFetchUntouched(): boolean {
  if (globalThis.fetch !== fetchAtImport) return false
  // undici's own default is an Agent; a ProxyAgent or a MockAgent was put there by somebody.
  const chosen: unknown = Reflect.get(globalThis, dispatcher)
  return chosen === undefined || chosen?.constructor?.name === 'Agent'
}
