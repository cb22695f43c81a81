/**
 * Recent requests of merchants' servers and pages to this instance, masked: the newest of each test environment, and of
 * clients whose environment is unknown. Failed ones are apart, so that no number of successful ones replaces them.
 * Requests of live environments are not stored.
 *
 * @module
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoggedRequest } from '../../../shared/sandbox-api.ts'
import type { Environment } from '../../merchants/environments.ts'
import { hasSecret } from '../../redact.ts'
import { findIssues } from '../lint.ts'
import { entryOf, type LogEntry } from './entry.ts'

export function createRequestLog(now: () => Date) {
  /** By environment. The one that was used last is the last one. */
  const rings = new Map<string | null, Rings>()
  let count = 0

  function record(request: FastifyRequest, reply: FastifyReply): void {
    const entry = entryOf(request, reply, { number: ++count, now: now() })
    const { environment, operation, faults } = entry.request
    if (operation === 'page' && environment === null) return
    const both = rings.get(environment) ?? { failed: [], others: [] }
    if (isFailure(entry) || faults.length > 0) keep(both.failed, entry)
    else keep(both.others, entry)
    rings.delete(environment)
    rings.set(environment, both)
    if (rings.size > maxRings) rings.delete(rings.keys().next().value ?? null)
  }

  /** Returns what an environment's log shows, the newest first: also requests of unknown environments. */
  function visible(environmentId: string): readonly LogEntry[] {
    const entries = [environmentId, null].flatMap((id) => Object.values(rings.get(id) ?? {}).flat())
    return entries.sort((one, other) => other.request.number - one.request.number)
  }

  function watch(request: FastifyRequest, reply: FastifyReply): void {
    // The key may be invalid, but is not logged either way.
    if (request.headers.authorization?.includes('pi_sk_live_')) return
    // fastify's hook `onResponse` does not run if the connection closes before all of the response was sent.
    reply.raw.once('close', () => {
      if (request.facts.environment?.mode !== 'live') record(request, reply)
    })
  }

  return {
    /** Records a request when its response has ended, except those of live environments. */
    watch,
    /** Records a request for an unknown path, if it may be one of a merchant's server. */
    watchUnknown: (request: FastifyRequest, reply: FastifyReply): void => {
      const { method, headers, url } = request
      const isOfServer = method !== 'GET' || headers.authorization !== undefined
      if (isOfServer || hasSecret(url)) watch(request, reply)
    },
    /** Returns the requests of an environment and of unknown environments, newest first. */
    requests: (environmentId: string): readonly LoggedRequest[] =>
      visible(environmentId).map(({ request }) => request),
    /** Returns a request that `requests` lists, with its headers and bodies. */
    find: (environmentId: string, requestId: string): LogEntry | undefined =>
      visible(environmentId).find(({ request }) => request.requestId === requestId),
    issues: ({ id, allowedOrigins }: Pick<Environment, 'id' | 'allowedOrigins'>) =>
      findIssues(visible(id), allowedOrigins),
    /** Clears the requests of an environment and of unknown environments. */
    clear: (environmentId: string): void => {
      for (const id of [environmentId, null]) rings.delete(id)
    },
  }
}

/** Entries of an environment, the oldest first. A fault makes a request a failed one: its response may be lost. */
type Rings = Readonly<Record<'failed' | 'others', LogEntry[]>>

function keep(ring: LogEntry[], entry: LogEntry): void {
  ring.push(entry)
  if (ring.length > maxEntries) ring.shift()
  const older = ring.at(-1 - maxBodies)
  if (older) older.bodies = noBodies
}

const noBodies = { requestBody: null, responseBody: null }

/** Of each ring. The newest ones have their bodies. */
const maxEntries = 500
const maxBodies = 100
/** Environments that requests were sent to most recently. */
const maxRings = 100

/** Returns whether a request failed, or its connection closed before the response. */
function isFailure({ request: { status, operation } }: LogEntry): boolean {
  return operation !== 'check' && (status === 0 || status >= 400)
}
