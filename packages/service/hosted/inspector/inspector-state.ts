/** The inspector's data, kept current by the service's stream of changes. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import type {
  KeyUse,
  LintIssue,
  LoggedRequest,
  SandboxEnvironment,
  SandboxEnvironments,
  ShownIntent,
  SimulatedOutcome,
  StoredFaultRule,
} from '../../shared/sandbox-api.ts'
import { type Part, pause, type ReadOptions, Refresher, retryPause } from './refresher.ts'
import {
  isUnknownToken,
  type Method,
  messageOf,
  queryText,
  SandboxApi,
  SandboxApiError,
  type SandboxRequest,
  tokenUnknown,
} from './sandbox-client.ts'
import { anyIntent, anyRequest, type IntentFilter, type RequestFilter, Search } from './search.ts'

/** `locked`: no token, or a rejected one. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

/** The lists of one environment, with the names of the sandbox API. */
interface Lists {
  /** `undefined` until the first read. */
  readonly intents: readonly PaymentIntent[] | undefined
  /** Begin of the next page of intents, or `null` if there are no older ones. */
  readonly next: string | null
  readonly requests: readonly LoggedRequest[]
  readonly keys: readonly KeyUse[]
  readonly findings: readonly LintIssue[]
  readonly rules: readonly StoredFaultRule[]
}

const noLists: Lists = {
  intents: undefined,
  next: null,
  requests: [],
  keys: [],
  findings: [],
  rules: [],
}

/** Number of intents to remember. A page of the list has 200. */
const rememberedIntents = 2000

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
  readonly intentSearch = new Search(anyIntent)
  readonly requestSearch = new Search(anyRequest)
  detail: ShownIntent | undefined
  openId: string | undefined

  readonly #requestUpdate: () => void
  #api: SandboxApi | undefined
  #abort = new AbortController()
  #streaming = false
  readonly #refresher = new Refresher(async (parts) => await this.#read(parts))
  /** Number of shown pages of intents. */
  #pages = 1
  /** Intents that were read, for other lists that show only their ids. */
  readonly #remembered = new Map<string, PaymentIntent>()

  constructor(requestUpdate: () => void) {
    this.#requestUpdate = requestUpdate
  }

  unlock(token: string): void {
    this.#abort.abort()
    this.#abort = new AbortController()
    this.#api = new SandboxApi(token)
    this.#streaming = false
    this.tokenError = undefined
    this.actionError = undefined
    this.readError = undefined
    this.#setConnection('connecting')
    void this.#follow(this.#api, this.#abort.signal)
  }

  lock(reason: string): void {
    this.#abort.abort()
    this.#api = undefined
    this.tokenError = reason
    this.#setConnection('locked')
  }

  async selectEnvironment(id: string): Promise<void> {
    this.detail = undefined
    this.openId = undefined
    await this.#switchTo(id)
  }

  /** Returns an intent that was read before. */
  findIntent(id: string | null): PaymentIntent | undefined {
    return id === null ? undefined : this.#remembered.get(id)
  }

  async searchIntents(filter: Partial<IntentFilter>, options?: ReadOptions): Promise<void> {
    this.intentSearch.change(filter)
    this.#pages = 1
    this.#requestUpdate()
    await this.#refresher.readNow(['intents'], options)
  }

  async searchRequests(filter: Partial<RequestFilter>, options?: ReadOptions): Promise<void> {
    this.requestSearch.change(filter, filter.q !== undefined)
    this.#requestUpdate()
    if (filter.q !== undefined) await this.#refresher.readNow(['requests'], options)
  }

  async showOlder(): Promise<void> {
    this.#pages++
    await this.#refresher.readNow(['intents'])
  }

  async open(id: string | undefined): Promise<void> {
    if (this.openId === id) return
    this.openId = id
    this.detail = undefined
    this.#requestUpdate()
    await this.#refresher.readNow(['detail'])
  }

  /** Runs an action. If it fails, sets `actionError` and returns `undefined`. */
  async run<Result>(action: (api: SandboxApi) => Promise<Result>): Promise<Result | undefined> {
    const api = this.#api
    if (!api) return undefined
    this.actionError = undefined
    try {
      return await action(api)
    } catch (error) {
      // The request was sent with an earlier token.
      if (api !== this.#api) return undefined
      if (isUnknownToken(error)) this.lock(tokenUnknown)
      else this.actionError = messageOf(error)
      return undefined
    } finally {
      this.#requestUpdate()
    }
  }

  /** Sends one request as an action. */
  async send<Result>(...request: SandboxRequest): Promise<Result | undefined> {
    return await this.run(async (api) => await api.send<Result>(...request))
  }

  /** Changes the selected environment. Returns whether it succeeded. */
  async change(method: Method, path: string, body?: unknown): Promise<boolean> {
    if (!this.environment) return false
    const done = await this.send(method, `/environments/${this.environment.id}/${path}`, body)
    return done !== undefined
  }

  /** Simulates an outcome. Does nothing while another one is running. */
  async simulate(id: string, outcome: SimulatedOutcome): Promise<void> {
    if (this.simulating) return
    this.simulating = true
    await this.send('POST', `/intents/${id}/settle`, { outcome })
    await this.#refresher.readNow(['detail'])
    this.simulating = false
    this.#requestUpdate()
  }

  dismiss(): void {
    this.actionError = undefined
    this.#requestUpdate()
  }

  async #switchTo(id: string): Promise<void> {
    const chosen = this.environments.find((environment) => environment.id === id)
    if (!chosen) return
    this.environment = chosen
    this.lists = noLists
    this.#pages = 1
    this.#requestUpdate()
    await this.#refresher.readNow(['intents', 'requests', 'idempotency', 'lint', 'faults'])
  }

  /** Opens the stream of changes again whenever it ends, until the signal aborts. */
  async #follow(api: SandboxApi, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await api.follow((topics) => {
          this.#streaming = true
          void this.#refresher.readSoon(topics)
        }, signal)
      } catch (error) {
        if (!signal.aborted) this.#report(error)
      }
      // A rejected token has locked the inspector.
      if (signal.aborted) return
      this.#streaming = false
      this.#setConnection('lost')
      await pause(retryPause)
    }
  }

  /** Returns whether the read is complete and needs no retry. */
  async #read(parts: readonly Part[]): Promise<boolean> {
    const api = this.#api
    if (!api) return true
    try {
      if (parts.includes('environments') || !this.environment) await this.#readEnvironments(api)
      const id = this.environment?.id
      if (id) await Promise.all(parts.map(async (part) => await this.#readPart(part, api, id)))
      if (api !== this.#api) return true
      this.readError = undefined
      if (this.#streaming) this.connection = 'live'
      this.#requestUpdate()
      return true
    } catch (error) {
      if (api === this.#api) this.#report(error)
      // The same request would be rejected again.
      return error instanceof SandboxApiError && error.status < 500
    }
  }

  async #readPart(part: Part, api: SandboxApi, environment: string): Promise<void> {
    if (part === 'environments') return
    if (part === 'detail') return await this.#readDetail(api)
    const [found] = await Promise.all([
      this.#readList(part, api, environment),
      part === 'intents' && this.#readDetail(api),
    ])
    if (found && environment === this.environment?.id) this.lists = { ...this.lists, ...found }
  }

  async #readList(
    part: Exclude<Part, 'detail' | 'environments'>,
    api: SandboxApi,
    environment: string,
  ): Promise<Partial<Lists> | undefined> {
    const path = `/environments/${environment}/${part}`
    if (part === 'intents') {
      const found = await this.intentSearch.read(
        async (filter, signal) =>
          await api.intents(environment, { filter, pages: this.#pages }, signal),
      )
      if (found) this.#remember(found.intents)
      return found
    }
    if (part !== 'requests') return await api.send('GET', path)
    return await this.requestSearch.read<Partial<Lists>>(
      async ({ q }, signal) => await api.send('GET', path + queryText({ q }), undefined, signal),
    )
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

  async #readEnvironments(api: SandboxApi): Promise<void> {
    const found = await api.send<SandboxEnvironments>('GET', '/environments')
    if (api !== this.#api) return
    this.environments = found.environments
    this.commandOptions = found.commandOptions
    const id = this.environment?.id
    this.environment = found.environments.find((each) => each.id === id) ?? found.environments[0]
  }

  async #readDetail(api: SandboxApi): Promise<void> {
    const id = this.openId
    if (!id) return
    const detail = await api.intent(id)
    if (this.openId !== id) return
    this.detail = detail
    if (!detail) this.openId = undefined
    // A link can lead to another merchant's intent: the list must show the same merchant.
    else if (detail.environment !== this.environment?.id) void this.#switchTo(detail.environment)
  }

  #report(error: unknown): void {
    if (isUnknownToken(error)) this.lock(tokenUnknown)
    else if (error instanceof SandboxApiError) this.readError = error.message
    else this.connection = 'lost'
    this.#requestUpdate()
  }

  #setConnection(connection: Connection): void {
    this.connection = connection
    this.#requestUpdate()
  }
}
