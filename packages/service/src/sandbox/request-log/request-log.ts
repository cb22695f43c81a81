/**
 * Recent requests of merchants' servers and pages to this instance, in memory: method, path, and result,
 * without bodies, queries, and credentials. Requests of live environments are not stored. Ids of intents are
 * stored only if a test environment has the intent.
 *
 * It runs for each request, so the public form of an entry is created only when the log is read.
 *
 * @module
 */
import { headers, limits, paymentIntentIdPattern } from '@pi-checkout/contract'
import { routes } from '../../../shared/routes.ts'
import type { LoggedOperation, LoggedRequest } from '../../../shared/sandbox-api.ts'
import type { Call, Observer } from '../../http/call.ts'
import type { Environment } from '../../merchants/environments.ts'
import type { TopicNotifier } from '../event-stream.ts'
import { createKeyUses } from './key-uses.ts'
import { type LogEntry, loggedRequest, matches, type RequestFilter } from './logged-request.ts'
import { hasSecret, maskIds, maskPath } from './mask.ts'

export function createRequestLog({
  now,
  topics,
  findEnvironment,
  onEntry,
}: {
  readonly now: () => Date
  readonly topics: TopicNotifier
  /** Finds the environment of a hosted page's intent, because the page sends no key. */
  readonly findEnvironment: (intentId: string) => Promise<Environment | undefined>
  readonly onEntry: (entry: LogEntry) => void
}) {
  const uses = createKeyUses(maxEntries)
  let entries: LogEntry[] = []
  let count = 0

  function record(call: Call): void {
    if (!isLogged(call)) {
      topics.notify('intents')
      return
    }
    if (call.environment?.mode === 'live') return
    const ms = performance.now() - call.startedAt
    const at = new Date(now().getTime() - ms)
    const entry = entryOf(call, { number: ++count, at, ms })
    if (entry.operation === 'page') void storePage(entry)
    else store(isOfTest(entry) ? entry : { ...entry, path: maskIds(entry.path), intentId: null })
  }

  /** Returns whether the ids are of a test environment. A client without a live key may send a live id. */
  function isOfTest({ environment, status, path, intentId }: LogEntry): boolean {
    if (path === routes.create.path) return true
    if (environment !== null && status === 200) return true
    return intentId !== null && entries.some((entry) => entry.intentId === intentId)
  }

  async function storePage(entry: LogEntry): Promise<void> {
    const id = entry.intentId
    const found = id === null ? undefined : await findEnvironment(id).catch(() => undefined)
    if (found?.mode === 'test') store({ ...entry, environment: found.id })
  }

  function store(recorded: LogEntry): void {
    // A reused key refers to the intent that was created with it.
    const isReused = recorded.status === 422
    const entry = isReused ? { ...recorded, intentId: uses.intentOf(recorded) } : recorded
    if (!isRepeat(entry)) entries.push(entry)
    // Drop half of the entries at a time, because removing the first one moves all others.
    if (entries.length > maxEntries * 2) entries = entries.slice(-maxEntries)
    uses.count(entry)
    onEntry(entry)
    topics.notify('intents', 'requests', 'idempotency', 'faults')
  }

  /** Counts a repeated read, because a shop that polls would push other requests out of the log. */
  function isRepeat({ operation, status, path, environment }: LogEntry): boolean {
    if (operation !== 'retrieve' || status !== 200) return false
    for (const entry of entries.slice(-maxReads).reverse()) {
      if (entry.operation !== 'retrieve') return false
      if (entry.status !== 200 || entry.path !== path || entry.environment !== environment) continue
      entry.repeats++
      return true
    }
    return false
  }

  return {
    observer: {
      // Skip live payments, which are not stored, and reads of pages and tools.
      shouldRecord: (call: Call): boolean =>
        !hasLiveKey(call) && (isLogged(call) || call.request.method === 'POST'),
      record,
    } satisfies Observer,
    /** Returns recent requests of an environment and of unknown environments, newest first. */
    requests: (environmentId: string, filter?: RequestFilter): readonly LoggedRequest[] =>
      entries
        .filter(({ environment }) => environment === null || environment === environmentId)
        .slice(-maxEntries)
        .filter((entry) => !filter || matches(entry, filter))
        .reverse()
        .map(loggedRequest),
    requestsAbout: (intentId: string): readonly LoggedRequest[] =>
      entries
        .slice(-maxEntries)
        .filter((entry) => entry.intentId === intentId)
        .slice(-maxAboutOne)
        .reverse()
        .map(loggedRequest),
    keyUses: uses.list,
    /** Clears all requests, or those of one environment and of unknown environments. */
    clear: (environmentId?: string): void => {
      entries =
        environmentId === undefined
          ? []
          : entries.filter(
              ({ environment }) => environment !== null && environment !== environmentId,
            )
      topics.notify('requests')
    },
    clearKeyUses: (environmentId?: string): void => {
      uses.clear(environmentId)
      topics.notify('idempotency')
    },
  }
}

const maxEntries = 500
const maxAboutOne = 20
/** How many reads are compared with the next one. */
const maxReads = 20

/** Requests of a merchant's server and pages are logged, and those to an unknown path. */
function isLogged({ route, matched, audience }: Call): boolean {
  if (audience === 'merchant' || route === 'page') return true
  return matched === undefined && (audience === 'buyer' || audience === 'public')
}

function entryOf(
  call: Call,
  { number, at, ms }: { readonly number: number; readonly at: Date; readonly ms: number },
): LogEntry {
  const { request, path, environment, replayed, problem } = call
  const { method = '', url = '', headers: sent } = request
  const operation = operationOf(call)
  const key = sent[headers.idempotencyKey]
  return {
    ...{ number, at, ms, method, operation, replayed, problem, repeats: 0 },
    path: maskPath(path),
    status: call.sentStatus,
    requestId: call.requestId,
    environment: environment?.id ?? null,
    intentId: call.intentId ?? intentIdOf(call),
    idempotencyKey: typeof key === 'string' ? key.slice(0, limits.idempotencyKey) : undefined,
    ...boundPointers(call),
    isKeyFromBrowser: isKeyFromBrowser(call),
    hasSecretInUrl: hasSecret(url),
    origin: operation === 'page' ? originOf(sent.referer) : undefined,
  }
}

/** Maximum total length of stored JSON Pointers, which contain received names. */
const maxPointersLength = 500

function boundPointers({
  pointers,
  pointersOmitted,
}: Call): Pick<LogEntry, 'pointers' | 'pointersOmitted'> {
  const kept: string[] = []
  let length = 0
  for (const pointer of pointers) {
    length += pointer.length
    if (length > maxPointersLength) break
    kept.push(pointer)
  }
  return { pointers: kept, pointersOmitted: pointersOmitted + pointers.length - kept.length }
}

function operationOf({ route, request: { method } }: Call): LoggedOperation {
  if (route === 'create' || route === 'page') return route
  return route === 'retrieve' && method === routes.retrieve.method ? route : 'other'
}

function intentIdOf({ matched, params: { id: part = '' } }: Call): string | null {
  if (matched !== routes.retrieve && matched !== routes.page) return null
  // A `clientSecret` in the path contains the id.
  const [id = ''] = part.split(/_secret_/i, 1)
  return paymentIntentIdPattern.test(id) && !hasSecret(id) ? id : null
}

/** Returns the origin of a `Referer`. The rest is not stored, because it may contain secrets. */
function originOf(referer: string | undefined): string | undefined {
  const origin = referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : ''
  return origin === '' || origin.length > maxOriginLength ? undefined : origin
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
