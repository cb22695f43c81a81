/** What the inspector shows: read once a second, and after each action. @module */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type {
  IntentPage,
  LintIssue,
  LoggedExchange,
  LoggedRequest,
  SandboxEnvironment,
  SandboxEnvironments,
  ShownIntent,
  StoredFaultRule,
} from '../../shared/sandbox-api.ts'
import { type Route, type Section, writeRoute } from './route.ts'
import { type Method, SandboxApiError, SandboxClient } from './sandbox-client.ts'
import { SharedToken } from './shared-token.ts'

/** What was read of one environment. `null` does not exist. */
interface Data {
  readonly intents?: IntentPage | null
  readonly requests?: Log | null
  /** The rules, and the newest requests that a fault changed. */
  readonly faults?: (Log & { readonly rules: readonly StoredFaultRule[] }) | null
  readonly issues?: readonly LintIssue[] | undefined
  readonly intent?: ShownIntent | null | undefined
  readonly exchange?: LoggedExchange | null | undefined
}

interface Log {
  readonly requests: readonly LoggedRequest[]
}

type Get = <Body>(path: string) => Promise<Body | null>

/** What the inspector's page does for the data. */
export interface SandboxHost extends ReactiveControllerHost {
  /** Returns whether an item is beside its list, and does not hide it. */
  hasPanes(): boolean
  /** Shows a route in place of the current one, without an entry in the history. */
  replace(route: Route): void
}

export class Sandbox implements ReactiveController {
  /** `locked`: no token, or a rejected one. */
  connection: 'locked' | 'connecting' | 'connected' | 'lost' = 'locked'
  /** Why the last token was rejected. */
  tokenError: string | undefined
  /** Why the last action failed, until it is dismissed. */
  actionError: string | undefined
  /** Why the last read was rejected. */
  readError: string | undefined
  /** Whether an action runs. Another one does nothing. */
  busy = false
  route: Route = { section: 'intents' }
  environments: readonly SandboxEnvironment[] = []
  environment: SandboxEnvironment | undefined
  data: Data = {}
  /** Search of the intents, and the id of the intent before the page. */
  search = { q: '', before: '' }

  readonly #host: SandboxHost
  readonly #token = new SharedToken((token) => this.unlock(token))
  #client: SandboxClient | undefined
  #reading = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The next list of intents opens its first one, if it lacks the open one. */
  #opensFirst = true

  constructor(host: SandboxHost) {
    this.#host = host
    host.addController(this)
  }

  hostConnected(): void {
    const token = this.#client ? undefined : this.#token.find()
    if (token) this.unlock(token)
  }

  unlock(token: string): void {
    this.#client = new SandboxClient(token)
    this.connection = 'connecting'
    this.tokenError = undefined
    void this.refresh()
  }

  lock(reason: string): void {
    this.#stop()
    this.#token.forget()
    this.#client = undefined
    this.tokenError = reason
    this.connection = 'locked'
    this.#host.requestUpdate()
  }

  /** Returns the address of a section, or of an intent or request, of the same environment. */
  link(section: Section, id?: string): string {
    return writeRoute({ environment: this.environment?.id, section, id })
  }

  open(route: Route): void {
    if (writeRoute(route) === writeRoute(this.route)) return
    const { environment = route.environment, section, id } = this.route
    const isSame = route.environment === undefined || route.environment === environment
    if (!isSame) this.#leaveEnvironment()
    if (route.id !== id) this.data = { ...this.data, intent: undefined, exchange: undefined }
    this.#opensFirst ||= !isSame || (route.section !== section && route.id === undefined)
    this.actionError = undefined
    this.route = route
    void this.refresh()
  }

  find(search: Partial<Sandbox['search']>): void {
    this.search = { ...this.search, before: '', ...search }
    this.#opensFirst = true
    // The next character may follow.
    this.#refreshIn(search.q === undefined ? 0 : typingPause)
  }

  /** Sends a request. If it fails, shows why and returns `undefined`. */
  async act<Result>(method: Method, path: string, body?: unknown): Promise<Result | undefined> {
    const client = this.#client
    if (!client || this.busy) return undefined
    this.busy = true
    this.actionError = undefined
    try {
      const signal = AbortSignal.timeout(actionTimeout)
      const result = await client.send<Result>(method, path, { body, signal })
      await this.refresh()
      return result
    } catch (error) {
      // The request may have been sent with an earlier token.
      if (client === this.#client) this.#report(error, 'actionError')
      return undefined
    } finally {
      this.busy = false
      this.#host.requestUpdate()
    }
  }

  /** Changes the environment, as `act` does. */
  async change<Result>(method: Method, path: string, body?: unknown): Promise<Result | undefined> {
    return await this.act(method, `/environments/${this.environment?.id}/${path}`, body)
  }

  dismiss(): void {
    this.actionError = undefined
    this.#host.requestUpdate()
  }

  /** Reads now, in place of the current read, and then once a second. */
  async refresh(): Promise<void> {
    this.#stop()
    this.#host.requestUpdate()
    const [client, reading] = [this.#client, this.#reading]
    if (!client) return
    const late = setTimeout(() => reading.abort(), readTimeout)
    try {
      await this.#read(client, reading.signal)
      this.connection = 'connected'
      this.readError = undefined
      this.#token.keep(client.token)
    } catch (error) {
      if (reading === this.#reading) this.#report(error, 'readError')
    } finally {
      clearTimeout(late)
    }
    if (reading === this.#reading && this.#client) this.#refreshIn(interval)
  }

  #refreshIn(milliseconds: number): void {
    this.#stop()
    this.#timer = setTimeout(() => void this.refresh(), milliseconds)
    this.#host.requestUpdate()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#reading.abort()
    this.#reading = new AbortController()
  }

  async #read(client: SandboxClient, signal: AbortSignal): Promise<void> {
    const { section, id } = this.route
    const get: Get = async (path) => await client.get(path, signal)
    const [all, intent] = await Promise.all([
      get<SandboxEnvironments>('/environments'),
      section === 'intents' && id ? get<ShownIntent>(`/intents/${id}`) : undefined,
    ])
    const { environments } = all ?? { environments: [] }
    // A link may lead to another merchant's intent.
    const wanted = intent?.environment ?? this.route.environment
    const environment = environments.find((each) => each.id === wanted) ?? environments[0]
    const fresh = environment && (await this.#readSection(`/environments/${environment.id}`, get))
    signal.throwIfAborted()
    if (environment?.id !== this.environment?.id) this.#leaveEnvironment()
    this.environments = environments
    this.environment = environment
    this.data = { ...this.data, ...fresh, intent }
    const shown = fresh?.intents ? this.#select(fresh.intents) : id
    const address = { environment: environment?.id, section, id: shown }
    if (writeRoute(address) === writeRoute(this.route)) return
    this.route = address
    this.#host.replace(address)
    if (shown !== undefined && shown !== id) await this.#read(client, signal)
  }

  async #readSection(path: string, get: Get): Promise<Data> {
    const { section, id } = this.route
    if (section === 'settings') return {}
    if (section === 'faults') return { faults: await get(`${path}/faults`) }
    if (section === 'intents') {
      const query = Object.entries(this.search).filter(([, value]) => value)
      return { intents: await get(`${path}/intents?${new URLSearchParams(query)}`) }
    }
    const open = this.data.exchange
    const [requests, lint, exchange] = await Promise.all([
      get<Log>(`${path}/requests`),
      get<{ findings: readonly LintIssue[] }>(`${path}/lint`),
      // It does not change.
      !id || open?.request.requestId === id ? open : get<LoggedExchange>(`${path}/requests/${id}`),
    ])
    return { requests, issues: lint?.findings, exchange }
  }

  /** Returns the id of the intent to open beside a list. */
  #select({ intents }: IntentPage): string | undefined {
    const { id } = this.route
    if (!this.#opensFirst || !this.#host.hasPanes()) return id
    // A link may lead to an intent that is on no page yet.
    const isKept = id && (this.search.q === '' || intents.some((each) => each.id === id))
    this.#opensFirst = intents.length === 0
    return isKept ? id : intents[0]?.id
  }

  #leaveEnvironment(): void {
    this.data = {}
    this.search = { q: '', before: '' }
  }

  #report(error: unknown, place: 'actionError' | 'readError'): void {
    const isRejection = error instanceof SandboxApiError
    if (isRejection && error.status === 401) this.lock(tokenUnknown)
    else if (isRejection) this[place] = error.message
    else if (place === 'actionError') this.actionError = 'The service did not respond.'
    else this.connection = 'lost'
    this.#host.requestUpdate()
  }
}

const tokenUnknown =
  'This token is not valid. Each start of the service creates a new one: open the link that the running service printed.'

/** In milliseconds. */
const interval = 1000
const readTimeout = 4000
const actionTimeout = 10_000
const typingPause = 100
