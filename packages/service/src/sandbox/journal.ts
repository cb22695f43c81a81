/**
 * What merchants' servers and pages asked of this instance lately, in memory: method, path and
 * outcome, never a body, a query or a credential. Requests of live environments are not kept.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { headers, paymentIntentIdPattern, routes } from '@pi-checkout/contract'
import type { Authenticator } from '../http/authenticate.ts'
import { requestId } from '../http/request-id.ts'
import type { Environment } from '../merchants/environments.ts'
import type { Changes } from './changes.ts'
import { hasSecret, maskKey, maskPath } from './mask.ts'

/** One request and its answer. */
export interface Exchange {
  /** Grows by one with each exchange of this instance. */
  readonly number: number
  /** Real time, RFC 3339 UTC. */
  readonly at: string
  readonly method: string
  /** Without query; credentials in it are masked. */
  readonly path: string
  /** 0: the connection ended before the whole answer. */
  readonly status: number
  /** Milliseconds until the answer was written. */
  readonly ms: number
  readonly requestId: string
  readonly operation: 'create' | 'retrieve' | 'page' | 'other'
  /** Id of the test environment; `null` where no key told which. */
  readonly environment: string | null
  readonly intentId: string | null
  /** Masked. `null`: none was sent. */
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  /** It came with headers that only a browser sends. */
  readonly fromBrowser: boolean
  /** The address carried a credential. */
  readonly secretInUrl: boolean
  /** Origin of the page that the browser came from. */
  readonly referer: string | null
}

/** How often an idempotency key was used, since the start. */
export interface KeyUse {
  /** Masked. */
  readonly key: string
  readonly environment: string
  readonly intentId: string | null
  readonly requests: number
  readonly replays: number
  /** Refusals because another body came with it. */
  readonly conflicts: number
  /** Refusals because its first request was still running. */
  readonly waits: number
  readonly lastAt: string
}

/** The journal of one instance. */
export interface Journal {
  /** Puts a listener under watch. */
  watch(listener: RequestListener): RequestListener
  /** Learns from an authenticator whose request is whose. */
  learnFrom(authenticator: Authenticator): Authenticator
  /** The last exchanges, the newest first: those of an environment, and those of nobody known. */
  exchanges(environmentId: string): readonly Exchange[]
  /** The keys that were used last, the newest first. */
  keyUses(environmentId: string): readonly KeyUse[]
  clear(environmentId?: string): void
}

/** Makes an empty journal. */
export function journal({
  now,
  changes,
  notice,
}: {
  readonly now: () => Date
  readonly changes: Changes
  /** Is told of each exchange: the lint. */
  readonly notice: (exchange: Exchange) => void
}): Journal {
  const environments = new WeakMap<IncomingMessage, Environment>()
  let exchanges: Exchange[] = []
  let uses = new Map<string, KeyUse>()
  let count = 0

  function record(
    request: IncomingMessage,
    response: ServerResponse,
    { at, ms }: { readonly at: Date; readonly ms: number },
  ): void {
    const environment = environments.get(request)
    if (environment?.mode === 'live' || (!environment && hasLiveKey(request))) return
    const exchange = exchangeOf(request, response, { number: ++count, at, ms, environment })
    exchanges.push(exchange)
    // Seldom, and half at once: shifting one by one would move the whole list each time.
    if (exchanges.length > kept * 2) exchanges = exchanges.slice(-kept)
    if (exchange.operation === 'create' && environment) note(request, exchange)
    notice(exchange)
    changes.announce('intents', 'requests', 'idempotency', 'faults')
  }

  function note({ headers: sent }: IncomingMessage, exchange: Exchange): void {
    const { environment, idempotencyKey: key, status, intentId } = exchange
    const raw = String(sent[headers.idempotencyKey] ?? '').replace(/^"(.*)"$/, '$1')
    if (!environment || key === null || !(status < 300 || status === 409 || status === 422)) return
    const name = `${environment} ${raw}`
    const known = uses.get(name)
    // Taken out and put back in, it is the last: the first ones are dropped.
    uses.delete(name)
    uses.set(name, {
      key,
      environment,
      intentId: intentId ?? known?.intentId ?? null,
      requests: (known?.requests ?? 0) + 1,
      replays: (known?.replays ?? 0) + Number(exchange.replayed),
      conflicts: (known?.conflicts ?? 0) + Number(status === 422),
      waits: (known?.waits ?? 0) + Number(status === 409),
      lastAt: exchange.at,
    })
    if (uses.size > kept) uses.delete(uses.keys().next().value ?? '')
  }

  return {
    watch: (listener) => (request, response) => {
      const url = request.url ?? ''
      if (ownPrefixes.some((prefix) => url.startsWith(prefix))) {
        if (request.method === 'POST') response.once('close', () => changes.announce('intents'))
        listener(request, response)
        return
      }
      const at = now()
      const begin = performance.now()
      response.once('close', () => {
        record(request, response, { at, ms: performance.now() - begin })
      })
      listener(request, response)
    },
    learnFrom: (authenticator) => ({
      ...authenticator,
      authenticate: async (request) => {
        const environment = await authenticator.authenticate(request)
        environments.set(request, environment)
        return environment
      },
    }),
    exchanges: (environmentId) =>
      exchanges
        .filter(({ environment }) => environment === null || environment === environmentId)
        .slice(-kept)
        .reverse(),
    keyUses: (environmentId) =>
      [...uses.values()].filter(({ environment }) => environment === environmentId).reverse(),
    clear: (environmentId) => {
      if (environmentId === undefined) {
        exchanges = []
        uses = new Map()
      } else {
        exchanges = exchanges.filter(({ environment }) => environment !== environmentId)
        uses = new Map([...uses].filter(([, { environment }]) => environment !== environmentId))
      }
      changes.announce('requests', 'idempotency')
    },
  }
}

const kept = 500

/** What pages and tools ask by themselves tells nothing about a merchant's integration. */
const ownPrefixes = [
  '/_sandbox',
  '/checkout-api/',
  '/checkout-assets/',
  '/docs',
  '/favicon.ico',
  '/healthz',
  '/metrics',
  '/openapi.json',
  '/pi-checkout.js',
  '/readyz',
]

function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  {
    number,
    at,
    ms,
    environment,
  }: {
    readonly number: number
    readonly at: Date
    readonly ms: number
    readonly environment: Environment | undefined
  },
): Exchange {
  const { method = '', url = '', headers: sent } = request
  const path = maskPath(url)
  const operation = operationOf(method, path)
  const key = sent[headers.idempotencyKey]
  return {
    number,
    at: at.toISOString(),
    method,
    path,
    status: response.writableFinished ? response.statusCode : 0,
    ms: Math.round(ms * 10) / 10,
    requestId: requestId(response),
    operation,
    environment: environment?.id ?? null,
    intentId: intentIdOf(operation === 'create' ? response.getHeader('location') : path),
    idempotencyKey: typeof key === 'string' ? maskKey(key) : null,
    replayed: response.hasHeader(headers.idempotentReplayed),
    fromBrowser: sent.origin !== undefined || sent['sec-fetch-site'] !== undefined,
    secretInUrl: hasSecret(url),
    referer: originOf(sent.referer),
  }
}

function operationOf(method: string, path: string): Exchange['operation'] {
  if (path === routes.create.path) return method === 'POST' ? 'create' : 'other'
  if (path.startsWith(`${routes.create.path}/`)) return method === 'GET' ? 'retrieve' : 'other'
  return path.startsWith('/checkout/') ? 'page' : 'other'
}

function intentIdOf(path: unknown): string | null {
  if (typeof path !== 'string') return null
  const [, id = ''] = /^\/(?:payment-intents|checkout)\/([^/]+)$/.exec(path) ?? []
  return paymentIntentIdPattern.test(id) ? id : null
}

function originOf(referer: string | undefined): string | null {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : null
}

/** The prefix only hints, and a hint is enough to keep silent. */
function hasLiveKey({ headers: sent }: IncomingMessage): boolean {
  return sent.authorization?.includes('pi_sk_live_') ?? false
}
