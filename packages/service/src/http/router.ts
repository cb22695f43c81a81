/** Finds the route of a request, runs its checks and handler, and sends the response. @module */
import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { type Audience, type Route, type RouteName, routes } from '../../shared/routes.ts'
import { createTurns } from '../turns.ts'
import { Call, type Observer, observe } from './call.ts'
import { checkWellFormed } from './client-errors.ts'
import { notFound, ProblemError, type ProblemPage, sendProblem } from './problem.ts'
import { ConnectionDropped, type Handler, send } from './response.ts'

export interface ListenerOptions {
  /** Handlers by route. A route without a handler is not found. */
  readonly handlers: Readonly<Partial<Record<RouteName, Handler>>>
  /** Checks for each request of an audience, including requests without a route. They throw problems. */
  readonly checks: Readonly<Partial<Record<Audience, readonly ((call: Call) => void)[]>>>
  /** Records all requests, including those that are not well-formed. */
  readonly accessLog?: readonly Observer[]
  /** Counts the handlers that have not ended, also those whose client has left. */
  readonly running?: { count: number } | undefined
  /** Aborted before the service stops. Each response then closes its connection. */
  readonly draining?: AbortSignal | undefined
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  /** Records well-formed requests. */
  readonly observers: readonly Observer[]
  readonly log: Logger
  readonly problemPage?: ProblemPage
}

export function createListener(options: ListenerOptions): RequestListener {
  const { handlers, checks, accessLog = [], observers, running, draining, stopping } = options
  const table = pathsOf(handlers)
  const turn = createTurns(rejections, stopping)

  async function waitForTurn(call: Call): Promise<void> {
    if (!call.isKnown && call.route !== 'ready') await turn()
  }

  async function reject(call: Call, error: unknown): Promise<void> {
    await waitForTurn(call)
    closeIf(draining, call)
    if (error instanceof ConnectionDropped) call.request.socket.destroy()
    else sendProblem(call, { ...options, error })
  }

  /** Runs the handler of the route. Sends its response, or a thrown error as a problem. */
  async function run(call: Call): Promise<void> {
    if (running) running.count++
    try {
      for (const check of checks[call.audience] ?? []) check(call)
      const handler = call.route && handlers[call.route]
      if (!handler) throw call.matched ? methodNotAllowed(table, call) : notFound()
      const result = await handler(call)
      // An error page.
      if (result.status >= 400) await waitForTurn(call)
      closeIf(draining, call)
      await send(call, result)
    } catch (error) {
      await reject(call, error)
    } finally {
      if (running) running.count--
    }
  }

  return (request, response) => {
    const call = new Call(request, response)
    closeIf(draining, call)
    if (accessLog.length > 0) observe(call, accessLog)
    try {
      checkWellFormed(request)
    } catch (error) {
      void reject(call, error)
      return
    }
    match(table, call)
    if (observers.length > 0) observe(call, observers)
    void run(call)
  }
}

function match(table: Table, call: Call): void {
  const { path } = call
  const found = table.exact.get(path) ?? findPattern(table, path, call)
  if (!found) {
    call.audience = table.audiences.get(firstSegment(path)) ?? 'public'
    return
  }
  const { method } = call.request
  call.route = found.methods.get((method === 'HEAD' ? 'GET' : method) ?? '')
  call.matched = found.route
  call.audience = found.route.audience
}

/**
 * Rejections of clients without credentials. Each client waits for one on its connection, so this also limits the
 * look-ups of those that try many ids or keys, and leaves time for others.
 */
export const rejections = { perSecond: 500, free: 100 }

/** Closes the connection after the response, so that the client opens the next one at another instance. */
function closeIf(draining: AbortSignal | undefined, { response }: Call): void {
  if (draining?.aborted) response.shouldKeepAlive = false
}

interface Path {
  readonly route: Route
  readonly methods: Map<string, RouteName>
}

interface Pattern extends Path {
  /** Part of the path before the first parameter. */
  readonly prefix: string
  /** Path segments from the first parameter on. */
  readonly segments: readonly string[]
}

interface Table {
  readonly exact: ReadonlyMap<string, Path>
  readonly patterns: readonly Pattern[]
  /** Audiences by first path segment. They select the checks for requests without a route. */
  readonly audiences: ReadonlyMap<string, Audience>
}

function pathsOf(handlers: ListenerOptions['handlers']): Table {
  const exact = new Map<string, Path>()
  const patterns: Pattern[] = []
  const audiences = new Map<string, Audience>()
  // `Object.entries` types keys as `string`.
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    if (!handlers[name]) continue
    const { path, method, audience } = route
    // The last audience of a segment applies, because the table lists stricter ones later.
    audiences.set(firstSegment(path), audience)
    const existing = exact.get(path) ?? patterns.find((pattern) => pattern.route.path === path)
    if (existing) {
      existing.methods.set(method, name)
      continue
    }
    const methods = new Map([[method as string, name]])
    const at = path.search(/[:*]/)
    if (at === -1) exact.set(path, { route, methods })
    else {
      const prefix = path.slice(0, at)
      patterns.push({ route, methods, prefix, segments: path.slice(at).split('/') })
    }
  }
  return { exact, patterns, audiences }
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

function findPattern({ patterns }: Table, path: string, call: Call): Path | undefined {
  for (const pattern of patterns) {
    const params = path.startsWith(pattern.prefix) ? readParams(pattern, path) : undefined
    if (!params) continue
    call.params = params
    return pattern
  }
  return undefined
}

function readParams(
  { prefix, route, segments }: Pattern,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const rest = path.slice(prefix.length)
  if (segments[0] === '*') return { rest }
  const parts = rest.split('/')
  if (parts.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (let at = 0; at < parts.length; at++) {
    const [part = '', segment = ''] = [parts[at], segments[at]]
    if (segment.startsWith(':') && part !== '') {
      // The merchant API returns the same 404 for each unknown id, so it accepts ids that cannot be decoded.
      const value = decodeSegment(part) ?? (route.audience === 'merchant' ? part : undefined)
      if (value === undefined) return undefined
      params[segment.slice(1)] = value
    } else if (part !== segment) return undefined
  }
  return params
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function methodNotAllowed(table: Table, { matched }: Call): ProblemError {
  const found = [...table.exact.values(), ...table.patterns].find(({ route }) => route === matched)
  const methods = [...(found?.methods.keys() ?? [])]
  const allow = methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
  return new ProblemError('method_not_allowed', `Allowed methods: ${allow}.`, {
    headers: { allow },
  })
}
