/** One request with its response: the matched route, the response id, and the facts that observers record. @module */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Audience, Route, RouteName } from '../../shared/routes.ts'
import { newRequestId } from '../ids.ts'

export class Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Name of the route, or `undefined` if no route has this method and path. Set by the router. */
  route: RouteName | undefined = undefined
  /** Route that has this path. It has another method if `route` is `undefined`. */
  matched: Route | undefined = undefined
  audience: Audience = 'public'
  /** Decoded path parameters. For a path that ends with `*`, `rest` is the remaining path, not decoded. */
  params: Readonly<Record<string, string>> = noParams
  /** Address of the client, for the access log. */
  client: string | undefined = undefined
  /** Time of `performance.now()`, in milliseconds. */
  readonly startedAt = performance.now()

  /** Whether the client has sent a valid API key, session, or admin token. */
  isKnown = false

  // Facts for the observers. `writeHead` with all headers does not store them for reading.
  /** Environment of the API key, or of the intent of a hosted page. */
  environment: { readonly id: string; readonly mode: 'test' | 'live' } | undefined = undefined
  /** Intent that the request created or read. */
  intentId: string | undefined = undefined
  /** Origin of a page that requested a hosted page and is not registered. */
  unregisteredOrigin: string | undefined = undefined
  replayed = false
  /** Faults that the sandbox applied. */
  faults: readonly string[] = noTexts
  /** Headers of the response that are not constant. */
  sentHeaders: Readonly<Record<string, string>> | undefined = undefined
  /** Body of the response, if it is a text. */
  sentBody: string | undefined = undefined
  /** Code of the problem that was sent. */
  problem: string | undefined = undefined
  /** JSON Pointers of the rejected fields. */
  pointers: readonly string[] = noTexts
  pointersOmitted = 0

  #requestId: string | undefined = undefined

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
  }

  /** Id of the response. The log has the same id. */
  get requestId(): string {
    this.#requestId ??= newRequestId()
    return this.#requestId
  }

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

  /** HTTP status of the response, or 0 if the connection closed before all of it was sent. */
  get sentStatus(): number {
    return this.response.writableFinished ? this.response.statusCode : 0
  }
}

const noParams = {}
const noTexts: readonly string[] = []

/** Records requests after their responses have ended. */
export interface Observer {
  shouldRecord(call: Call): boolean
  record(call: Call): void
}

export function observe(call: Call, observers: readonly Observer[]): void {
  const observed: Observed = call.response
  for (const observer of observers) {
    if (!observer.shouldRecord(call)) continue
    if (observed[watched]) observed[watched].observers.push(observer)
    else {
      observed[watched] = { call, observers: [observer] }
      observed.on('close', record)
    }
  }
}

// A property of the response needs no closure for each request. A weak map would slow the garbage
// collection more than the recording itself.
const watched = Symbol('watched')

interface Observed extends ServerResponse {
  [watched]?: { readonly call: Call; readonly observers: Observer[] }
}

function record(this: Observed): void {
  const state = this[watched]
  if (!state) return
  for (const observer of state.observers) observer.record(state.call)
}
