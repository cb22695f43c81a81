/**
 * The last requests of merchants' servers and pages to this instance, in memory: method, path and result,
 * never a body, a query or a credential. Requests of live environments are not kept, and an intent's id only
 * once a test environment has shown it.
 *
 * It sees every request, so it only keeps facts; what is shown is made when it is read.
 *
 * @module
 */
import { headers, limits, paymentIntentIdPattern } from '@pi-checkout/contract'
import { routes } from '../../../shared/routes.ts'
import type { LoggedRequest, RouteName } from '../../../shared/sandbox-api.ts'
import type { Call, Observer } from '../../http/call.ts'
import type { Environment } from '../../merchants/environments.ts'
import type { TopicNotifier } from '../event-stream.ts'
import { createKeyUses } from './key-uses.ts'
import { type LogEntry, loggedRequest, matches, type RequestFilter } from './logged-request.ts'
import { hasSecret, maskIds, maskPath } from './mask.ts'

export type RequestLog = ReturnType<typeof createRequestLog>

/** Creates an empty request log. */
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
  /** Called for each entry: the lint. */
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
    if (entry.operation === 'page') void keepPage(entry)
    else keep(isOfTest(entry) ? entry : { ...entry, path: maskIds(entry.path), intentId: null })
  }

  /** A client without a key, or with a test key, may name a live intent. */
  function isOfTest({ environment, status, path, intentId }: LogEntry): boolean {
    if (path === routes.create.path) return true
    if (environment !== null && status === 200) return true
    return intentId !== null && entries.some((entry) => entry.intentId === intentId)
  }

  async function keepPage(entry: LogEntry): Promise<void> {
    const id = entry.intentId
    const found = id === null ? undefined : await findEnvironment(id).catch(() => undefined)
    if (found?.mode === 'test') keep({ ...entry, environment: found.id })
  }

  function keep(given: LogEntry): void {
    // A rejected key belongs to the intent that it created before.
    const entry = given.status === 422 ? { ...given, intentId: uses.intentOf(given) } : given
    entries.push(entry)
    // Rarely, and half of them: shifting one by one would move the whole list each time.
    if (entries.length > maxEntries * 2) entries = entries.slice(-maxEntries)
    uses.count(entry)
    onEntry(entry)
    topics.notify('intents', 'requests', 'idempotency', 'faults')
  }

  return {
    observer: {
      // Live payments are not shown, and cost no observer. Nor do reads of pages and tools.
      shouldRecord: (call: Call): boolean =>
        !hasLiveKey(call) && (isLogged(call) || call.request.method === 'POST'),
      record,
    } satisfies Observer,
    /** The last requests, the newest first: those of an environment, and those of no known one. */
    requests: (environmentId: string, filter?: RequestFilter): readonly LoggedRequest[] =>
      entries
        .filter(({ environment }) => environment === null || environment === environmentId)
        .slice(-maxEntries)
        .filter((entry) => !filter || matches(entry, filter))
        .reverse()
        .map(loggedRequest),
    /** The last requests about an intent, the newest first. */
    requestsAbout: (intentId: string): readonly LoggedRequest[] =>
      entries
        .slice(-maxEntries)
        .filter((entry) => entry.intentId === intentId)
        .slice(-maxAboutOne)
        .reverse()
        .map(loggedRequest),
    /** The idempotency keys that were used last, the newest first. */
    keyUses: uses.list,
    /** Clears the requests of all environments, or those of one and those of no known one. */
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

/**
 * Whether a request shows something about a merchant's integration: those of its server and of its pages, and
 * those to an unknown path.
 */
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
    ...{ number, at, ms, method, operation, replayed, problem },
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

/** How many characters of the rejected fields an entry keeps: each came from the caller. */
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

function operationOf({ route, request: { method } }: Call): RouteName {
  if (route === 'create' || route === 'page') return route
  return route === 'retrieve' && method === routes.retrieve.method ? route : 'other'
}

function intentIdOf({ matched, params: { id: part = '' } }: Call): string | null {
  if (matched !== routes.retrieve && matched !== routes.page) return null
  // A client that puts a clientSecret there names its intent too.
  const [id = ''] = part.split(/_secret_/i, 1)
  return paymentIntentIdPattern.test(id) && !hasSecret(id) ? id : null
}

/** Only the origin: the rest of a `Referer`, above all its query, is never kept. */
function originOf(referer: string | undefined): string | undefined {
  const origin = referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : ''
  return origin === '' || origin.length > maxOriginLength ? undefined : origin
}

const maxOriginLength = 255

/**
 * A browser blocks a page of another origin that sends a key: its `OPTIONS` asks whether it may. Without a
 * key no secret was exposed: a developer typed the address.
 */
function isKeyFromBrowser({ request: { headers: sent } }: Call): boolean {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return false
  const asked = sent['access-control-request-headers'] ?? ''
  return sent.authorization !== undefined || /(?:^|[ ,])authorization(?:[ ,]|$)/i.test(asked)
}

/** The prefix is only a hint, and a hint is enough to keep nothing. */
function hasLiveKey({ request }: Call): boolean {
  return request.headers.authorization?.includes('pi_sk_live_') ?? false
}
