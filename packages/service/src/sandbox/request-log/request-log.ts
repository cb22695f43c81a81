/**
 * Recent requests of merchants' servers and pages to this instance, without queries and credentials. Requests of live
 * environments are not stored. Ids of intents are stored only if a test environment has the intent, and bodies only of
 * test environments.
 *
 * Failures, creates, and reads are kept apart, so that polling pushes no failure out of the log. It runs for each
 * request, so the public form of an entry is created only when the log is read.
 *
 * @module
 */
import { headers, keyCheckId, limits, paymentIntentIdPattern } from '@pi-checkout/contract'
import { routes } from '../../../shared/routes.ts'
import type { LoggedOperation, LoggedRequest, RequestPage } from '../../../shared/sandbox-api.ts'
import type { Call, Observer } from '../../http/call.ts'
import { masked, receivedOf, sizeOf } from './bodies.ts'
import { createKeyUses } from './key-uses.ts'
import {
  isFailure,
  type KeptEntry,
  type LogEntry,
  loggedRequest,
  matches,
  type RequestFilter,
} from './logged-request.ts'
import { hasSecret, maskCredentials, maskIds, maskPath } from './mask.ts'
import { createRing } from './ring.ts'

export type RequestLog = ReturnType<typeof createRequestLog>

export function createRequestLog({
  now,
  keepsBodies,
  onEntry,
}: {
  readonly now: () => Date
  readonly keepsBodies: boolean
  /** @param counted - The entry that counts a repeated read, or the same one. */
  readonly onEntry: (entry: LogEntry, counted: LogEntry) => void
}) {
  const uses = createKeyUses(limit.entries)
  const failures = createRing(limit)
  const creates = createRing(limit)
  const reads = createRing(limit)
  const rings = [failures, creates, reads]
  /** The newest request about each intent, if it is a read. Those with an unknown key are not counted together. */
  const lastReads = new Map<string, KeptEntry>()
  let since: string | null = now().toISOString()
  let count = 0
  /** Number of changes, and that of the last removal. */
  let revision = 0
  let clearedAt = 0
  /** Number of the last request of an earlier start. */
  let lastRestored = 0

  function record(call: Call): void {
    if (call.environment?.mode === 'live') return
    const ms = performance.now() - call.startedAt
    const at = new Date(now().getTime() - ms)
    const entry = entryOf(call, { number: ++count, at, ms })
    if (entry.operation === 'page') {
      if (entry.environment !== null) store(entry, call)
    } else store(isOfTest(entry) ? entry : withoutIds(entry), call)
  }

  /** Returns whether the ids are of a test environment. A client without a live key may send a live id. */
  function isOfTest({ environment, status, path, intentId }: LogEntry): boolean {
    if (path === routes.create.path) return true
    if (environment !== null && status === 200) return true
    return (
      intentId !== null &&
      rings.some((ring) => ring.entries().some((each) => each.intentId === intentId))
    )
  }

  function store(recorded: KeptEntry, call: Call): void {
    // A reused key refers to the intent that was created with it.
    const isReused = recorded.status === 422
    const entry = isReused ? { ...recorded, intentId: uses.intentOf(recorded) } : recorded
    const repeated = repeatedBy(entry)
    if (repeated) {
      repeated.repeats++
      repeated.revision = ++revision
    } else {
      const received = receivedOf(call, { shownPath: entry.path, keepsBodies })
      entry.exchange = () => {
        const exchange = masked(received)
        entry.exchange = () => exchange
        return exchange
      }
      entry.bytes = sizeOf(received)
      entry.revision = ++revision
      add(entry)
    }
    uses.count(entry)
    onEntry(entry, repeated ?? entry)
  }

  function add(entry: KeptEntry): void {
    const { operation, environment, intentId } = entry
    const dropped = ringOf(entry).add(entry)
    if (dropped?.operation === 'retrieve') forget(dropped)
    if (intentId === null) return
    if (operation !== 'retrieve') lastReads.delete(intentId)
    else if (environment !== null) lastReads.set(intentId, entry)
  }

  function forget({ number, intentId }: LogEntry): void {
    if (intentId !== null && lastReads.get(intentId)?.number === number) lastReads.delete(intentId)
  }

  function ringOf(entry: LogEntry) {
    if (isFailure(entry)) return failures
    return entry.operation === 'create' ? creates : reads
  }

  /**
   * Returns the newest entry about the intent if it is the same read. That one counts this one, because a shop that
   * polls would push other requests out of the log.
   */
  function repeatedBy(entry: LogEntry): KeptEntry | undefined {
    if (entry.operation !== 'retrieve' || entry.intentId === null) return undefined
    const last = lastReads.get(entry.intentId)
    return last && last.number > lastRestored && isSameRead(last, entry) ? last : undefined
  }

  /** Returns all entries, the oldest first. */
  function all() {
    return rings.flatMap((ring) => ring.entries()).sort((one, other) => one.number - other.number)
  }

  return {
    observer: {
      // Skip live payments, which are not stored.
      shouldRecord: (call: Call): boolean => isLogged(call) && !hasLiveKey(call),
      record,
    } satisfies Observer,
    /** Returns a page of requests of an environment and of unknown environments, newest first. */
    requests: (
      environmentId: string,
      { before, ...filter }: RequestFilter & { readonly before: number },
    ): RequestPage => {
      const found = all()
        .filter((entry) => isVisible(entry, environmentId) && matches(entry, filter))
        .reverse()
      const older = found.filter(({ number }) => number < before)
      return {
        requests: older.slice(0, pageLength).map(loggedRequest),
        newer: found.length - older.length,
        hasOlder: older.length > pageLength,
        since,
      }
    },
    countFailures: (environmentId: string): number =>
      failures.entries().filter((entry) => isVisible(entry, environmentId)).length,
    /** Returns a request that `requests` lists, with its headers and bodies. */
    find: (environmentId: string, requestId: string): KeptEntry | undefined =>
      all().find((entry) => entry.requestId === requestId && isVisible(entry, environmentId)),
    requestsAbout: (intentId: string): readonly LoggedRequest[] =>
      all()
        .filter((entry) => entry.intentId === intentId)
        .slice(-maxAboutOne)
        .reverse()
        .map(loggedRequest),
    /** Returns the newest requests of an environment that a fault changed. */
    requestsWithFaults: (environmentId: string): readonly LoggedRequest[] =>
      all()
        .filter(({ environment, faults }) => environment === environmentId && faults.length > 0)
        .slice(-maxAboutOne)
        .reverse()
        .map(loggedRequest),
    keyUses: uses.list,
    /** Clears all requests, or those of one environment and of unknown environments. */
    clear: (environmentId?: string): void => {
      const isRemoved = (entry: LogEntry): boolean =>
        environmentId === undefined || isVisible(entry, environmentId)
      for (const ring of rings) ring.removeIf(isRemoved)
      for (const entry of lastReads.values()) if (isRemoved(entry)) forget(entry)
      clearedAt = ++revision
    },
    clearKeyUses: uses.clear,
    /** Returns the entries of test environments that changed after a revision, or all after a removal. */
    changes: (after: number) => {
      const isWhole = after < clearedAt
      const entries = all().filter(
        (entry) => entry.environment !== null && (isWhole || entry.revision > after),
      )
      return { entries, isWhole, revision }
    },
    /** Adds the entries of an earlier start. From then on the log is one that survives a restart. */
    restore: (entries: readonly KeptEntry[]): void => {
      since = null
      for (const entry of entries) {
        add({ ...entry, revision: 0 })
        uses.count(entry)
        count = Math.max(count, entry.number)
      }
      lastRestored = count
    },
  }
}

/** Of failures, of creates, and of reads: at most 12 MB of bodies together. */
const limit = { entries: 500, bytes: 4 * 1024 * 1024 }
const maxAboutOne = 20
const pageLength = 500

/** Returns the entry of a request whose intent may be live. */
function withoutIds(entry: KeptEntry): KeptEntry {
  return { ...entry, path: maskIds(entry.path), intentId: null }
}

/** Returns whether an environment's log shows a request. All show one of an unknown environment. */
function isVisible({ environment }: LogEntry, environmentId: string): boolean {
  return environment === null || environment === environmentId
}

function isSameRead(one: LogEntry, other: LogEntry): boolean {
  return (
    one.operation === other.operation &&
    one.path === other.path &&
    one.environment === other.environment &&
    one.status === other.status &&
    one.faults.join() === other.faults.join()
  )
}

/**
 * Requests of a merchant's server and pages are logged, and those to an unknown path: not those for a page or an icon,
 * which send no credential.
 */
function isLogged({
  route,
  matched,
  audience,
  request: { method, url = '', headers },
}: Call): boolean {
  if (audience === 'merchant' || route === 'page') return true
  if (matched !== undefined || (audience !== 'buyer' && audience !== 'public')) return false
  return method !== 'GET' || headers.authorization !== undefined || hasSecret(url)
}

function entryOf(call: Call, measured: Pick<LogEntry, 'number' | 'at' | 'ms'>): KeptEntry {
  const { number, at, ms } = measured
  const { request, path, environment, replayed, problem, faults } = call
  const { method = '', url = '', headers: sent } = request
  const { pointers, pointersOmitted } = boundPointers(call)
  const key = sent[headers.idempotencyKey]
  // Without spreads, which take several times as long.
  return {
    number,
    at,
    ms,
    method,
    operation: operationOf(call),
    replayed,
    problem,
    faults,
    repeats: 0,
    // That of an intent contains its id and no credential.
    path: call.intentId === undefined ? maskPath(path) : path,
    status: call.sentStatus,
    requestId: call.requestId,
    environment: environment?.id ?? null,
    intentId: call.intentId ?? intentIdOf(call),
    idempotencyKey: typeof key === 'string' ? keyOf(key) : undefined,
    pointers,
    pointersOmitted,
    isKeyFromBrowser: isKeyFromBrowser(call),
    hasSecretInUrl: hasSecret(url),
    unregisteredOrigin: call.unregisteredOrigin?.slice(0, maxOriginLength),
    exchange: noExchange,
    bytes: 0,
    revision: 0,
  }
}

function noExchange(): never {
  throw new Error('The entry is not stored')
}

function keyOf(sent: string): string {
  return maskCredentials(sent.slice(0, limits.idempotencyKey))
}

/** Maximum total length of stored JSON Pointers, which contain received names. */
const maxPointersLength = 500

function boundPointers({
  pointers,
  pointersOmitted,
}: Call): Pick<LogEntry, 'pointers' | 'pointersOmitted'> {
  if (pointers.length === 0) return { pointers, pointersOmitted }
  const kept: string[] = []
  let length = 0
  for (const pointer of pointers) {
    length += pointer.length
    if (length > maxPointersLength) break
    kept.push(pointer)
  }
  return { pointers: kept, pointersOmitted: pointersOmitted + pointers.length - kept.length }
}

function operationOf({ route, params, environment, sentStatus, request }: Call): LoggedOperation {
  const { method } = request
  const isKeyCheck = params.id === keyCheckId && environment && sentStatus === 404
  if (route === 'retrieve' && isKeyCheck) return 'check'
  if (route === 'create' || route === 'page') return route
  return route === 'retrieve' && method === routes.retrieve.method ? route : 'other'
}

function intentIdOf({ matched, params: { id: part = '' } }: Call): string | null {
  if (matched !== routes.retrieve && matched !== routes.page) return null
  // A `clientSecret` in the path contains the id.
  const [id = ''] = part.split(/_secret_/i, 1)
  return paymentIntentIdPattern.test(id) && !hasSecret(id) ? id : null
}

const maxOriginLength = 255

/** Returns whether a browser sent a key, or a preflight (`OPTIONS`) for a request with a key. */
function isKeyFromBrowser({ request: { headers: sent } }: Call): boolean {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return false
  const requested = sent['access-control-request-headers'] ?? ''
  return sent.authorization !== undefined || /(?:^|[ ,])authorization(?:[ ,]|$)/i.test(requested)
}

/** Returns whether the key has the prefix of a live key. It may be invalid, but is not logged either way. */
function hasLiveKey({ request }: Call): boolean {
  return request.headers.authorization?.includes('pi_sk_live_') ?? false
}
