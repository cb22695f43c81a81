/**
 * The inspector's data, kept current by the service's stream of changes.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
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
import { anyIntent, anyRequest, type IntentFilter, type RequestFilter } from './filters.ts'
import { RecentMap } from './recent-map.ts'
import { type Part, type ReadOptions, Refresher } from './refresher.ts'
import {
  isUnknownToken,
  type Method,
  messageOf,
  queryText,
  SandboxApi,
  SandboxApiError,
  tokenUnknown,
} from './sandbox-api.ts'
import { Search } from './search.ts'
import { followChanges } from './stream.ts'

/** `locked`: no token, or one that the service does not know. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

/** Number of intents to remember. A page of the list has 200. */
const rememberedIntents = 2000

export class InspectorState implements ReactiveController {
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
  intents: readonly PaymentIntent[] | undefined
  /** Whether there are intents older than the last one shown. */
  hasOlder = false
  requests: readonly LoggedRequest[] = []
  keyUses: readonly KeyUse[] = []
  issues: readonly LintIssue[] = []
  rules: readonly StoredFaultRule[] = []
  /** The searches survive a change of section. */
  readonly intentSearch = new Search(anyIntent)
  readonly requestSearch = new Search(anyRequest)
  detail: ShownIntent | undefined
  /** Id of the open intent. */
  openId: string | undefined

  readonly #host: ReactiveControllerHost
  #api: SandboxApi | undefined
  #abort = new AbortController()
  /** Whether the stream of changes is open. */
  #streaming = false
  readonly #refresher = new Refresher(async (parts) => await this.#read(parts))
  /** Number of shown pages of intents. */
  #pages = 1
  /** Intents that were read, for other lists that show only their ids. */
  readonly #remembered = new RecentMap<PaymentIntent>(rememberedIntents)

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#abort.abort()
  }

  /** Connects with a token. */
  unlock(token: string): void {
    this.#abort.abort()
    this.#abort = new AbortController()
    this.#api = new SandboxApi(token)
    this.#streaming = false
    this.tokenError = undefined
    this.actionError = undefined
    this.readError = undefined
    this.#setConnection('connecting')
    void followChanges(this.#api, {
      onChange: (topics) => {
        this.#streaming = true
        void this.#refresher.readSoon(topics)
      },
      onLost: (reason) => this.#disconnect(reason),
      signal: this.#abort.signal,
    })
  }

  /** Locks the inspector and shows the reason. */
  lock(reason: string): void {
    this.#abort.abort()
    this.#api = undefined
    this.tokenError = reason
    this.#setConnection('locked')
  }

  /** Shows another environment. */
  async selectEnvironment(id: string): Promise<void> {
    this.detail = undefined
    this.openId = undefined
    await this.#switchTo(id)
  }

  /** Returns an intent that was read before. */
  findIntent(id: string | null): PaymentIntent | undefined {
    return id === null ? undefined : this.#remembered.get(id)
  }

  /** Searches the intents of the environment. */
  async searchIntents(filter: Partial<IntentFilter>, options?: ReadOptions): Promise<void> {
    this.intentSearch.change(filter)
    this.#pages = 1
    this.#host.requestUpdate()
    await this.#refresher.readNow(['intents'], options)
  }

  /** Searches the request log. */
  async searchRequests(filter: Partial<RequestFilter>, options?: ReadOptions): Promise<void> {
    this.requestSearch.change(filter, { renew: filter.q !== undefined })
    this.#host.requestUpdate()
    if (filter.q !== undefined) await this.#refresher.readNow(['requests'], options)
  }

  /** Shows another page of intents. */
  async showOlder(): Promise<void> {
    this.#pages++
    await this.#refresher.readNow(['intents'])
  }

  /** Opens an intent, or closes the open one. */
  async open(id: string | undefined): Promise<void> {
    if (this.openId === id) return
    this.openId = id
    this.detail = undefined
    this.#host.requestUpdate()
    await this.#refresher.readNow(['detail'])
  }

  /** Runs an action. If it fails, sets `actionError` and returns `undefined`. */
  async run<Result>(
    action: (api: SandboxApi, environment: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    const api = this.#api
    if (!api || !this.environment) return undefined
    this.actionError = undefined
    try {
      return await action(api, this.environment.id)
    } catch (error) {
      // The request was sent with an earlier token.
      if (api !== this.#api) return undefined
      if (isUnknownToken(error)) this.lock(tokenUnknown)
      else this.actionError = messageOf(error)
      return undefined
    } finally {
      this.#host.requestUpdate()
    }
  }

  /** Changes the selected environment. Returns whether it succeeded. */
  async change(method: Method, path: string, body?: unknown): Promise<boolean> {
    const done = await this.run(async (api, id) => {
      await api.send(method, `/environments/${id}/${path}`, body)
      return true
    })
    return done ?? false
  }

  /** Simulates an outcome. Does nothing while another one is running. */
  async simulate(id: string, outcome: SimulatedOutcome): Promise<void> {
    if (this.simulating) return
    this.simulating = true
    await this.run(async (api) => await api.send('POST', `/intents/${id}/settle`, { outcome }))
    await this.#refresher.readNow(['detail'])
    this.simulating = false
    this.#host.requestUpdate()
  }

  /** Hides the error of the last action. */
  dismiss(): void {
    this.actionError = undefined
    this.#host.requestUpdate()
  }

  async #switchTo(id: string): Promise<void> {
    const chosen = this.environments.find((environment) => environment.id === id)
    if (!chosen) return
    this.environment = chosen
    this.intents = undefined
    this.hasOlder = false
    this.requests = []
    this.keyUses = []
    this.issues = []
    this.rules = []
    this.#pages = 1
    this.#remembered.clear()
    this.#host.requestUpdate()
    await this.#refresher.readNow(['intents', 'requests', 'idempotency', 'lint', 'faults'])
  }

  #disconnect(reason: unknown): void {
    if (reason !== undefined) this.#report(reason)
    // A rejected token has locked the inspector.
    if (!this.#api) return
    this.#streaming = false
    this.#setConnection('lost')
  }

  /** Returns whether the read is complete and needs no retry. */
  async #read(parts: readonly Part[]): Promise<boolean> {
    const api = this.#api
    if (!api) return true
    try {
      if (parts.includes('environments') || !this.environment) await this.#readEnvironments(api)
      const id = this.environment?.id
      if (id) await Promise.all(parts.map(async (part) => await this.#readers[part](api, id)))
      if (api !== this.#api) return true
      this.readError = undefined
      if (this.#streaming) this.connection = 'live'
      this.#host.requestUpdate()
      return true
    } catch (error) {
      if (api === this.#api) this.#report(error)
      // The same request would be rejected again.
      return error instanceof SandboxApiError && error.status < 500
    }
  }

  /** Each stores its result only if its environment is still selected. */
  readonly #readers: Readonly<
    Record<Part, (api: SandboxApi, environment: string) => Promise<void>>
  > = {
    intents: async (api, id) => {
      await Promise.all([this.#readIntents(api, id), this.#readDetail(api)])
    },
    detail: async (api) => await this.#readDetail(api),
    requests: async (api, id) => {
      type Found = { readonly requests: readonly LoggedRequest[] }
      const found = await this.requestSearch.read<Found>(async ({ q }, signal) => {
        const path = `/environments/${id}/requests${queryText({ q })}`
        return await api.send('GET', path, undefined, signal)
      })
      if (found && this.#shows(id)) this.requests = found.requests
    },
    idempotency: async (api, id) => {
      type Found = { readonly keys: readonly KeyUse[] }
      const { keys } = await api.send<Found>('GET', `/environments/${id}/idempotency`)
      if (this.#shows(id)) this.keyUses = keys
    },
    lint: async (api, id) => {
      type Found = { readonly findings: readonly LintIssue[] }
      const { findings } = await api.send<Found>('GET', `/environments/${id}/lint`)
      if (this.#shows(id)) this.issues = findings
    },
    faults: async (api, id) => {
      type Found = { readonly rules: readonly StoredFaultRule[] }
      const { rules } = await api.send<Found>('GET', `/environments/${id}/faults`)
      if (this.#shows(id)) this.rules = rules
    },
    environments: async () => {},
  }

  #shows(environment: string): boolean {
    return environment === this.environment?.id
  }

  async #readIntents(api: SandboxApi, environment: string): Promise<void> {
    const found = await this.intentSearch.read(
      async (filter, signal) =>
        await api.intents(environment, { filter, pages: this.#pages }, signal),
    )
    if (!found || !this.#shows(environment)) return
    for (const intent of found.intents) this.#remembered.set(intent.id, intent)
    this.intents = found.intents
    this.hasOlder = found.older
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
    // A link can lead to another merchant's intent: the list must show the same merchant.
    if (detail && !this.#shows(detail.environment)) void this.#switchTo(detail.environment)
    this.detail = detail
    if (!detail) this.openId = undefined
  }

  #report(error: unknown): void {
    if (isUnknownToken(error)) this.lock(tokenUnknown)
    else if (error instanceof SandboxApiError) this.readError = error.message
    else this.connection = 'lost'
    this.#host.requestUpdate()
  }

  #setConnection(connection: Connection): void {
    this.connection = connection
    this.#host.requestUpdate()
  }
}
