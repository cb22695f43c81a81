/** The inspector's data. It reads them once a second, and after each action. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import type {
  LoggedExchange,
  RequestToSend,
  SandboxEnvironment,
  SentRequest,
  ShownIntent,
  SimulatedOutcome,
} from '../../shared/sandbox-api.ts'
import { anyIntent, anyRequest, type IntentFilter, type RequestFilter } from './filters.ts'
import {
  isUnknownToken,
  type Lists,
  type Method,
  messageOf,
  SandboxApi,
  SandboxApiError,
  tokenUnknown,
} from './sandbox-client.ts'

/** `locked`: no token, or a rejected one. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

export class InspectorState {
  connection: Connection = 'locked'
  /** Why the last token was rejected. */
  tokenError: string | undefined
  /** Error of the last action, until it is dismissed. */
  actionError: string | undefined
  /** Error of the last read, until a read succeeds. */
  readError: string | undefined
  /** Whether a simulated outcome is running and not shown yet. */
  simulating = false
  environments: readonly SandboxEnvironment[] = []
  commandOptions: string | null = ''
  environment: SandboxEnvironment | undefined
  lists = noLists
  intentFilter = anyIntent
  requestFilter = anyRequest
  detail: ShownIntent | undefined
  openId: string | undefined
  /** Id of the open request. */
  openRequest: string | undefined

  readonly #requestUpdate: () => void
  #api: SandboxApi | undefined
  /** Ends the latest read. */
  #reading = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Number of shown pages of intents. */
  #pages = 1
  #exchange: { readonly id: string; readonly content: LoggedExchange } | undefined
  /** Intents that were read, for other lists that show only their ids. */
  readonly #remembered = new Map<string, PaymentIntent>()

  constructor(requestUpdate: () => void) {
    this.#requestUpdate = requestUpdate
  }

  unlock(token: string): void {
    this.#api = new SandboxApi(token)
    this.connection = 'connecting'
    this.tokenError = undefined
    this.actionError = undefined
    this.readError = undefined
    void this.#refresh()
  }

  lock(reason: string): void {
    this.#stop()
    this.#api = undefined
    this.tokenError = reason
    this.connection = 'locked'
    this.#requestUpdate()
  }

  selectEnvironment(id: string): void {
    this.environment = this.environments.find((environment) => environment.id === id)
    this.lists = noLists
    this.#pages = 1
    this.detail = undefined
    this.openId = undefined
    this.#refreshIn(0)
  }

  /** Returns an intent that was read before. */
  findIntent(id: string | null): PaymentIntent | undefined {
    return id === null ? undefined : this.#remembered.get(id)
  }

  /** Returns what the open request sent and received, once it is read. */
  exchangeOf(requestId: string): LoggedExchange | undefined {
    return this.#exchange?.id === requestId ? this.#exchange.content : undefined
  }

  openRequestLog(id: string | undefined): void {
    if (this.openRequest === id) return
    this.openRequest = id
    this.#refreshIn(0)
  }

  searchIntents(filter: Partial<IntentFilter>): void {
    this.intentFilter = { ...this.intentFilter, ...filter }
    this.#pages = 1
    this.#refreshIn(filter.q === undefined ? 0 : typingPause)
  }

  searchRequests(filter: Partial<RequestFilter>): void {
    this.requestFilter = { ...this.requestFilter, ...filter }
    this.#refreshIn(filter.q === undefined ? 0 : typingPause)
  }

  showOlder(): void {
    this.#pages++
    this.#refreshIn(0)
  }

  open(id: string | undefined): void {
    if (this.openId === id) return
    this.openId = id
    this.detail = undefined
    this.#refreshIn(0)
  }

  /** Sends a request. If it fails, sets `actionError` and returns `undefined`. */
  async send<Result>(method: Method, path: string, body?: unknown): Promise<Result | undefined> {
    const api = this.#api
    if (!api) return undefined
    this.actionError = undefined
    try {
      const result = await api.send<Result>(method, path, body)
      await this.#refresh()
      return result
    } catch (error) {
      // The request was sent with an earlier token.
      if (api !== this.#api) return undefined
      if (isUnknownToken(error)) this.lock(tokenUnknown)
      else this.actionError = messageOf(error)
      this.#requestUpdate()
      return undefined
    }
  }

  /** Changes the selected environment. Returns whether it succeeded. */
  async change(method: Method, path: string, body?: unknown): Promise<boolean> {
    if (!this.environment) return false
    const done = await this.send(method, `/environments/${this.environment.id}/${path}`, body)
    return done !== undefined
  }

  /** Sends a request from the service, as the merchant's server does. */
  async sendRequest(request: RequestToSend): Promise<SentRequest | undefined> {
    return await this.send('POST', `/environments/${this.environment?.id}/requests`, request)
  }

  /** Simulates an outcome. Does nothing while another one is running. */
  async simulate(id: string, outcome: SimulatedOutcome): Promise<void> {
    if (this.simulating) return
    this.simulating = true
    this.#requestUpdate()
    await this.send('POST', `/intents/${id}/settle`, { outcome })
    this.simulating = false
    this.#requestUpdate()
  }

  dismiss(): void {
    this.actionError = undefined
    this.#requestUpdate()
  }

  /** Reads everything in place of the current read, and then once a second. */
  async #refresh(): Promise<void> {
    this.#stop()
    const { signal } = this.#reading
    this.#requestUpdate()
    try {
      await this.#read(signal)
    } catch (error) {
      if (!signal.aborted) this.#report(error)
    }
    if (!signal.aborted) this.#refreshIn(readInterval)
  }

  #refreshIn(milliseconds: number): void {
    this.#stop()
    this.#timer = setTimeout(() => void this.#refresh(), milliseconds)
    this.#requestUpdate()
  }

  /** Ends the current read, or the pause before the next one. */
  #stop(): void {
    clearTimeout(this.#timer)
    this.#reading.abort()
    this.#reading = new AbortController()
  }

  async #read(signal: AbortSignal): Promise<void> {
    const api = this.#api
    if (!api) return
    const [{ environments, commandOptions }, detail] = await Promise.all([
      api.environments(signal),
      this.openId === undefined ? undefined : api.intent(this.openId, signal),
    ])
    // A link can lead to another merchant's intent: the lists must show the same merchant.
    const id = detail?.environment ?? this.environment?.id
    const environment = environments.find((each) => each.id === id) ?? environments[0]
    const search = { intents: this.intentFilter, pages: this.#pages, requests: this.requestFilter }
    const [lists, exchange] = await Promise.all([
      environment ? api.lists(environment.id, search, signal) : noLists,
      environment ? this.#readExchange(api, environment.id, signal) : undefined,
    ])
    signal.throwIfAborted()
    if (exchange) this.#exchange = exchange
    this.environments = environments
    this.commandOptions = commandOptions
    this.environment = environment
    this.lists = lists
    this.detail = detail
    if (!detail) this.openId = undefined
    this.#remember(lists.intents ?? [])
    this.readError = undefined
    this.connection = 'live'
  }

  /** Reads the open request, which does not change, once. */
  async #readExchange(api: SandboxApi, environment: string, signal: AbortSignal) {
    const id = this.openRequest
    if (id === undefined || this.exchangeOf(id)) return undefined
    const content = await api.exchange(environment, id, signal)
    return content && { id, content }
  }

  #remember(intents: readonly PaymentIntent[]): void {
    for (const intent of intents) {
      this.#remembered.delete(intent.id)
      this.#remembered.set(intent.id, intent)
    }
    for (const id of this.#remembered.keys()) {
      if (this.#remembered.size <= rememberedIntents) return
      this.#remembered.delete(id)
    }
  }

  #report(error: unknown): void {
    if (isUnknownToken(error)) this.lock(tokenUnknown)
    else if (error instanceof SandboxApiError) this.readError = error.message
    else this.connection = 'lost'
  }
}

const noLists: Lists = {
  intents: undefined,
  next: null,
  requests: [],
  failures: 0,
  since: '',
  keys: [],
  findings: [],
  rules: [],
}

/** Number of intents to remember. A page of the list has 200. */
const rememberedIntents = 2000

/** In milliseconds. */
const readInterval = 1000
/** In milliseconds: the next character of a search term may follow. */
const typingPause = 250
