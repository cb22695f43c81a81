/** The inspector's data. It reads them once a second, and after each action. @module */
import type {
  IntentPage,
  LoggedExchange,
  RequestToSend,
  SandboxEnvironment,
  SandboxEnvironments,
  SentRequest,
  ShownIntent,
  SimulatedOutcome,
} from '../../shared/sandbox-api.ts'
import {
  anyIntent,
  anyRequest,
  type IntentFilter,
  isUnfiltered,
  type RequestFilter,
} from './filters.ts'
import type { Route } from './route.ts'
import {
  isUnknownToken,
  type Lists,
  type Method,
  messageOf,
  queryText,
  SandboxApi,
  SandboxApiError,
  tokenUnknown,
} from './sandbox-client.ts'

/** `locked`: no token, or a rejected one. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

export interface InspectorPage {
  requestUpdate(): void
  isScrolled(): boolean
  /** Returns whether an intent is beside the list. */
  hasPanes(): boolean
  /** Shows a route in place of the current one, without an entry in the history. */
  replace(route: Route): void
}

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
  /** The list of each section that was open. */
  lists: Partial<Lists> = {}
  intentFilter = anyIntent
  /** Filter of the intents in `lists`. */
  listedFilter = anyIntent
  requestFilter = anyRequest
  detail: ShownIntent | undefined
  /** Whether the open intent or request does not exist. */
  isMissing = false
  /** The open section, and its open intent or request. */
  route: Route = { section: 'intents' }

  readonly #page: InspectorPage
  #api: SandboxApi | undefined
  /** Ends the latest read. */
  #reading = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #exchange: LoggedExchange | undefined
  /** Filter of intents that the open intent follows. */
  #followed: IntentFilter | undefined

  constructor(page: InspectorPage) {
    this.#page = page
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
    this.#page.requestUpdate()
  }

  selectEnvironment(id: string): void {
    this.environment = this.environments.find((environment) => environment.id === id)
    this.lists = {}
    this.intentFilter = { ...this.intentFilter, before: '' }
    this.detail = undefined
    this.route = { section: this.route.section }
    this.#refreshIn(0)
  }

  /** Returns what the open request sent and received, once it is read. */
  exchangeOf(requestId: string | undefined): LoggedExchange | undefined {
    return this.#exchange?.request.requestId === requestId ? this.#exchange : undefined
  }

  searchIntents(filter: Partial<IntentFilter>): void {
    this.intentFilter = { ...this.intentFilter, before: '', ...filter }
    this.#refreshIn(filter.q === undefined ? 0 : typingPause)
  }

  searchRequests(filter: Partial<RequestFilter>): void {
    this.requestFilter = { ...this.requestFilter, ...filter }
    this.#refreshIn(filter.q === undefined ? 0 : typingPause)
  }

  open(route: Route): void {
    const { section, id } = this.route
    if (section === route.section && id === route.id) return
    this.route = route
    this.detail = undefined
    this.isMissing = false
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
      this.#page.requestUpdate()
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
    this.#page.requestUpdate()
    await this.send('POST', `/intents/${id}/settle`, { outcome })
    this.simulating = false
    this.#page.requestUpdate()
  }

  dismiss(): void {
    this.actionError = undefined
    this.#page.requestUpdate()
  }

  /** Reads everything in place of the current read, and then once a second. */
  async #refresh(): Promise<void> {
    this.#stop()
    const { signal } = this.#reading
    this.#page.requestUpdate()
    const api = this.#api
    if (!api) return
    const late = setTimeout(() => this.#setLost(), responseTime)
    let pause = readInterval
    try {
      await this.#read(api, signal)
      if (this.#searchesOlder()) pause = 0
    } catch (error) {
      if (!signal.aborted) this.#report(error)
    } finally {
      clearTimeout(late)
    }
    if (!signal.aborted) this.#refreshIn(pause)
  }

  #refreshIn(milliseconds: number): void {
    this.#stop()
    this.#timer = setTimeout(() => void this.#refresh(), milliseconds)
    this.#page.requestUpdate()
  }

  /** Ends the current read, or the pause before the next one. */
  #stop(): void {
    clearTimeout(this.#timer)
    this.#reading.abort()
    this.#reading = new AbortController()
  }

  async #read(api: SandboxApi, signal: AbortSignal): Promise<void> {
    const { section, id } = this.route
    const filter = this.intentFilter
    // One that is missing is not read again.
    const reads = section === 'intents' && id !== undefined && !this.isMissing
    const [{ environments, commandOptions }, opened] = await Promise.all([
      api.read<SandboxEnvironments>('/environments', signal),
      reads ? api.find<ShownIntent>(`/intents/${id}`, signal) : undefined,
    ])
    // A link can lead to another merchant's intent: the lists must show the same merchant.
    const chosen = opened?.environment ?? this.environment?.id
    const environment = environments.find((each) => each.id === chosen) ?? environments[0]
    const [list, exchange] = await Promise.all([
      environment && this.#readList(api, environment.id, signal),
      environment && this.#readExchange(api, environment.id, signal),
    ])
    signal.throwIfAborted()
    const selected = list?.intents ? this.#select(list.intents, filter) : id
    this.environments = environments
    this.commandOptions = commandOptions
    const isSame = environment?.id === this.environment?.id
    this.environment = environment
    this.lists = { ...(isSame && this.lists), ...list }
    if (list?.intents) this.listedFilter = filter
    this.#exchange = exchange
    this.detail = selected === id ? opened : undefined
    this.readError = undefined
    this.connection = 'live'
    if (selected !== id) {
      this.route = { section, id: selected }
      this.#page.replace(this.route)
      this.#page.requestUpdate()
      if (selected) this.detail = await api.find<ShownIntent>(`/intents/${selected}`, signal)
      signal.throwIfAborted()
    }
    this.isMissing = selected !== undefined && !this.detail && !exchange
  }

  /** A page of a search can have no match although older ones have. Then the search continues there. */
  #searchesOlder(): boolean {
    const { intents = [], next = null } = this.lists.intents ?? {}
    if (intents.length > 0 || next === null) return false
    this.intentFilter = { ...this.intentFilter, before: next }
    return true
  }

  /** Returns the intent to open beside a list: the first one of a new filter, if the open one is not in the list. */
  #select({ intents }: IntentPage, filter: IntentFilter): string | undefined {
    const { id } = this.route
    if (filter === this.#followed || !this.#page.hasPanes()) return id
    const [first] = intents
    // A link can lead to an intent that is on no page yet.
    const keeps = id && (isUnfiltered(filter) || intents.some((each) => each.id === id))
    if (keeps || first) this.#followed = filter
    return keeps ? id : first?.id
  }

  async #readList(
    api: SandboxApi,
    environment: string,
    signal: AbortSignal,
  ): Promise<Partial<Lists> | undefined> {
    const { section: name } = this.route
    if (name === 'environment') return undefined
    const query = name === 'intents' ? queryText(this.intentFilter) : ''
    return { [name]: await api.read(`/environments/${environment}/${name}${query}`, signal) }
  }

  /** Reads the open request, which does not change, once. */
  async #readExchange(
    api: SandboxApi,
    environment: string,
    signal: AbortSignal,
  ): Promise<LoggedExchange | undefined> {
    const { section, id } = this.route
    if (section !== 'requests' || id === undefined) return undefined
    const path = `/environments/${environment}/requests/${id}`
    return this.exchangeOf(id) ?? (await api.find<LoggedExchange>(path, signal))
  }

  #report(error: unknown): void {
    if (isUnknownToken(error)) this.lock(tokenUnknown)
    else if (error instanceof SandboxApiError) this.readError = error.message
    else this.connection = 'lost'
  }

  #setLost(): void {
    this.connection = 'lost'
    this.#page.requestUpdate()
  }
}

/** In milliseconds. */
const readInterval = 1000
/** In milliseconds: a read that takes longer is shown as a lost connection until it ends. */
const responseTime = 4000
/** In milliseconds: the next character of a search term may follow. */
const typingPause = 100
