/**
 * What merchants' servers and pages asked of this instance lately, in memory: method, path and
 * outcome, never a body, a query or a credential. Requests of live environments are not kept, and an
 * intent's id only once a test environment has shown it.
 *
 * It stands on the way of every request, so it only notes facts; words are made when somebody reads.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { headers, limits, paymentIntentIdPattern, routes } from '@pi-checkout/contract'
import type { KeyUse, LoggedRequest, RouteName } from '../../shared/sandbox-api.ts'
import { type AnswerFacts, factsOf, sentStatus } from '../http/answer-facts.ts'
import { requestId } from '../http/request-id.ts'
import type { Environment } from '../merchants/environments.ts'
import type { Changes } from './changes.ts'
import { exchangeOf, isSought, type Search } from './exchange.ts'
import { keyUses } from './key-uses.ts'
import { hasSecret, maskIds, maskPath } from './mask.ts'
import type { Note } from './note.ts'

/** The journal of one instance. */
export interface Journal {
  /** Puts a listener under watch. */
  watch(listener: RequestListener): RequestListener
  /** The last exchanges, the newest first: those of an environment, and those of nobody known. */
  exchanges(environmentId: string, search?: Search): readonly LoggedRequest[]
  /** Those that were about an intent last, the newest first. */
  exchangesAbout(intentId: string): readonly LoggedRequest[]
  /** The keys that were used last, the newest first. */
  keyUses(environmentId: string): readonly KeyUse[]
  /** Forgets the exchanges of all environments, or those of one and those of nobody known. */
  clear(environmentId?: string): void
  clearKeyUses(environmentId?: string): void
}

/** Makes an empty journal. */
export function journal({
  now,
  changes,
  findEnvironment,
  notice,
}: {
  readonly now: () => Date
  readonly changes: Changes
  /** Of a hosted page's intent: no key tells whose it is. */
  readonly findEnvironment: (intentId: string) => Promise<Environment | undefined>
  /** Is told of each exchange: the lint. */
  readonly notice: (note: Note) => void
}): Journal {
  const uses = keyUses(kept)
  let notes: Note[] = []
  let count = 0

  function record(
    request: IncomingMessage,
    response: ServerResponse,
    { at, ms }: { readonly at: Date; readonly ms: number },
  ): void {
    if (factsOf(response).environment?.mode === 'live') return
    const note = noteOf(request, response, { number: ++count, at, ms })
    if (note.operation === 'page') void keepPage(note)
    else keep(isOfTest(note) ? note : { ...note, path: maskIds(note.path), intentId: null })
  }

  /** Whoever sends no key, or a test key, may name a live intent. */
  function isOfTest({ environment, status, path, intentId }: Note): boolean {
    if (path === routes.create.path) return true
    if (environment !== null && status === 200) return true
    return intentId !== null && notes.some((note) => note.intentId === intentId)
  }

  async function keepPage(note: Note): Promise<void> {
    const id = note.intentId
    const found = id === null ? undefined : await findEnvironment(id).catch(() => undefined)
    if (found?.mode === 'test') keep({ ...note, environment: found.id })
  }

  function keep(noted: Note): void {
    // A refused key tells of the intent that it made before.
    const note = noted.status === 422 ? { ...noted, intentId: uses.intentOf(noted) } : noted
    notes.push(note)
    // Seldom, and half at once: shifting one by one would move the whole list each time.
    if (notes.length > kept * 2) notes = notes.slice(-kept)
    uses.count(note)
    notice(note)
    changes.announce('intents', 'requests', 'idempotency', 'faults')
  }

  return {
    watch: (listener) => (request, response) => {
      const { url = '' } = request
      // Live payments are not on show, and pay for no watch.
      if (hasLiveKey(request)) {
        listener(request, response)
        return
      }
      if (!isWatched(url)) {
        if (request.method === 'POST') response.on('close', () => changes.announce('intents'))
        listener(request, response)
        return
      }
      const at = now()
      const begin = performance.now()
      response.on('close', () => {
        record(request, response, { at, ms: performance.now() - begin })
      })
      listener(request, response)
    },
    exchanges: (environmentId, search) =>
      notes
        .filter(({ environment }) => environment === null || environment === environmentId)
        .slice(-kept)
        .filter((note) => !search || isSought(note, search))
        .reverse()
        .map(exchangeOf),
    exchangesAbout: (intentId) =>
      notes
        .slice(-kept)
        .filter((note) => note.intentId === intentId)
        .slice(-keptOfOne)
        .reverse()
        .map(exchangeOf),
    keyUses: (environmentId) => uses.list(environmentId),
    clear: (environmentId) => {
      notes =
        environmentId === undefined
          ? []
          : notes.filter(({ environment }) => environment !== null && environment !== environmentId)
      changes.announce('requests')
    },
    clearKeyUses: (environmentId) => {
      uses.clear(environmentId)
      changes.announce('idempotency')
    },
  }
}

const kept = 500
const keptOfOne = 20

/** What pages and tools ask by themselves tells nothing about a merchant's integration. */
function isWatched(url: string): boolean {
  return url.startsWith(routes.create.path) || !ownPrefixes.some((prefix) => url.startsWith(prefix))
}

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

function noteOf(
  request: IncomingMessage,
  response: ServerResponse,
  {
    number,
    at,
    ms,
  }: {
    readonly number: number
    readonly at: Date
    readonly ms: number
  },
): Note {
  const { method = '', url = '', headers: sent } = request
  const [path = ''] = url.split('?', 1)
  const operation = operationOf(method, path)
  const key = sent[headers.idempotencyKey]
  const facts = factsOf(response)
  return {
    number,
    at,
    ms,
    method,
    path: maskPath(path),
    status: sentStatus(response),
    requestId: requestId(response),
    operation,
    environment: facts.environment?.id ?? null,
    intentId: facts.intentId ?? intentIdOf(path),
    idempotencyKey: typeof key === 'string' ? key.slice(0, limits.idempotencyKey) : undefined,
    replayed: facts.replayed ?? false,
    problem: facts.problem,
    ...boundPointers(facts),
    keyFromBrowser: isKeyFromBrowser(request),
    secretInUrl: hasSecret(url),
    origin: operation === 'page' ? originOf(sent.referer) : undefined,
  }
}

/** What a note keeps of the refused fields, in characters: each came from the caller. */
const maxPointersLength = 500

function boundPointers({
  pointers = [],
  pointersOmitted = 0,
}: AnswerFacts): Pick<Note, 'pointers' | 'pointersOmitted'> {
  const kept: string[] = []
  let length = 0
  for (const pointer of pointers) {
    length += pointer.length
    if (length > maxPointersLength) break
    kept.push(pointer)
  }
  return { pointers: kept, pointersOmitted: pointersOmitted + pointers.length - kept.length }
}

function operationOf(method: string, path: string): RouteName {
  if (path === routes.create.path) return method === routes.create.method ? 'create' : 'other'
  if (path.startsWith(`${routes.create.path}/`)) {
    return method === routes.retrieve.method ? 'retrieve' : 'other'
  }
  return path.startsWith('/checkout/') ? 'page' : 'other'
}

function intentIdOf(path: string): string | null {
  const [, part = ''] = /^\/(?:payment-intents|checkout)\/([^/]+)$/.exec(path) ?? []
  // Whoever puts a clientSecret there names its intent too.
  const [id = ''] = part.split(/_secret_/i, 1)
  return paymentIntentIdPattern.test(id) && !hasSecret(id) ? id : null
}

/** The origin alone: the rest of a `Referer`, its query above all, is never kept. */
function originOf(referer: string | undefined): string | undefined {
  const origin = referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : ''
  return origin === '' || origin.length > maxOriginLength ? undefined : origin
}

const maxOriginLength = 255

/**
 * A page that sends a key from elsewhere is stopped by its browser before: `OPTIONS` asks whether it may.
 * Without a key nothing was given away: somebody typed the address.
 */
function isKeyFromBrowser({ headers: sent }: IncomingMessage): boolean {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return false
  const asked = sent['access-control-request-headers'] ?? ''
  return sent.authorization !== undefined || /(?:^|[ ,])authorization(?:[ ,]|$)/i.test(asked)
}

/** The prefix only hints, and a hint is enough to keep silent. */
function hasLiveKey({ headers: sent }: IncomingMessage): boolean {
  return sent.authorization?.includes('pi_sk_live_') ?? false
}
