/**
 * One request with its response: the route it matched, the id of its response, and what the log may say
 * about both.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Audience, Route, RouteName } from '../../shared/routes.ts'
import { newRequestId } from '../ids.ts'

/** A request on its way through the service. */
export class Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Set by the router; `undefined` if no route has this method and path. */
  route: RouteName | undefined = undefined
  /** The matched entry of the table: of another method if `route` is `undefined`. */
  matched: Route | undefined = undefined
  audience: Audience = 'public'
  /** Values of the path's parameters, decoded. The rest of a path that ends with `*` is `rest`, as sent. */
  params: Readonly<Record<string, string>> = noParams
  /** Address of the client, for the access log. */
  client: string | undefined = undefined
  /** By `performance.now()`. */
  readonly startedAt = performance.now()

  // Facts for the observers: a head that is written in one piece cannot be read back.
  /** Environment of the API key. */
  environment: { readonly id: string; readonly mode: 'test' | 'live' } | undefined = undefined
  intentId: string | undefined = undefined
  replayed = false
  /** Code of the problem that the response is. */
  problem: string | undefined = undefined
  /** Rejected fields. */
  pointers: readonly string[] = noPointers
  pointersOmitted = 0

  #requestId: string | undefined = undefined

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
  }

  /** The id of the response, so that a merchant's report finds its line in the log. */
  get requestId(): string {
    this.#requestId ??= newRequestId()
    return this.#requestId
  }

  /** The path without the query. */
  get path(): string {
    const { url = '' } = this.request
    const query = url.indexOf('?')
    return query === -1 ? url : url.slice(0, query)
  }

  get query(): URLSearchParams {
    const { url = '' } = this.request
    const query = url.indexOf('?')
    return new URLSearchParams(query === -1 ? '' : url.slice(query))
  }

  /** HTTP status of a response that has ended; 0 if the connection closed before all of it was sent. */
  get sentStatus(): number {
    return this.response.writableFinished ? this.response.statusCode : 0
  }
}

const noParams = {}
const noPointers: readonly string[] = []

/** Sees each request after its response has ended. */
export interface Observer {
  /** Whether `record` is to be called. Called when the route is known. */
  wants(call: Call): boolean
  record(call: Call): void
}

/** Adds observers to a request. */
export function observe(call: Call, observers: readonly Observer[]): void {
  const observed: Observed = call.response
  for (const observer of observers) {
    if (!observer.wants(call)) continue
    if (observed[watched]) observed[watched].observers.push(observer)
    else {
      observed[watched] = { call, observers: [observer] }
      observed.on('close', record)
    }
  }
}

// On the response itself: neither a closure for each request, nor a weak map, which costs the garbage
// collector more than everything that is recorded.
const watched = Symbol('watched')

interface Observed extends ServerResponse {
  [watched]?: { readonly call: Call; readonly observers: Observer[] }
}

function record(this: Observed): void {
  const state = this[watched]
  if (!state) return
  for (const observer of state.observers) observer.record(state.call)
}
