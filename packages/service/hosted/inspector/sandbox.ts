/** What the inspector shows: read once a second, and after each action. @module */
import { initialState, Task } from '@lit/task'
import type { Problem } from '@pi-checkout/contract'
import type { ReactiveControllerHost } from 'lit'
import type {
  IntentList,
  LintIssue,
  LoggedExchange,
  LoggedRequest,
  SandboxEnvironment,
  ShownIntent,
  StoredFaultRule,
} from '../../shared/sandbox-api.ts'
import { findRequests, type Log } from './request-filters.ts'
import { type Route, type Section, writeRoute } from './route.ts'
import { SharedToken } from './shared-token.ts'

/** What was read of one environment. `null` does not exist. */
interface Data {
  readonly intents?: IntentList | null
  /** The whole log. */
  readonly requests?: readonly LoggedRequest[]
  readonly faults?: { readonly rules: readonly StoredFaultRule[] } | null
  readonly issues?: readonly LintIssue[]
  /** The open intent or request, or the newest one of the list. */
  readonly intent?: ShownIntent | null | undefined
  readonly exchange?: LoggedExchange | null | undefined
}

type Get = <Body>(path: string) => Promise<Body | null>

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The service rejected a request. `message` is shown to the user. */
class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export class Sandbox {
  /** Why the last token or action was rejected. */
  error: string | undefined
  route: Route = { section: 'intents' }
  environments: readonly SandboxEnvironment[] = []
  environment: SandboxEnvironment | undefined
  data: Data = {}
  /** What the list of the section shows. */
  search = noSearch
  /** The key that was created since the section was opened. */
  created: { readonly id: string; readonly apiKey: string } | null = null

  readonly #host: ReactiveControllerHost
  readonly #reading: Task
  readonly #shared = new SharedToken((token) => this.unlock(token))
  #token = this.#shared.find()
  #isActing = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    this.#reading = new Task(host, {
      args: () => [this.#token, writeRoute(this.route), this.search],
      task: async ([token], { signal }) =>
        token
          ? await this.#read(AbortSignal.any([signal, AbortSignal.timeout(readTimeout)]))
          : initialState,
      onComplete: () => this.#onRead(),
      onError: (error) => this.#onRead(error),
    })
  }

  /** `locked`: no token, or a rejected one. */
  get connection(): 'locked' | 'connected' | 'lost' {
    const { error } = this.#reading
    if (this.#token === undefined) return 'locked'
    return error === undefined || isUnauthorized(error) ? 'connected' : 'lost'
  }

  unlock(token: string): void {
    this.#token = token
    this.set({ error: undefined })
  }

  /** Returns the address of a section, or of an intent or request, of the same environment. */
  link(section: Section, id?: string): string {
    return writeRoute({ environment: this.environment?.id, section, id })
  }

  open(route: Route): void {
    if (writeRoute(route) === writeRoute(this.route)) return
    const { environment = route.environment, section, id } = this.route
    const isSame = environment === (route.environment ?? environment)
    if (!isSame || section !== route.section) this.search = noSearch
    const kept = isSame ? this.data : {}
    this.data = id === route.id ? kept : { ...kept, intent: undefined, exchange: undefined }
    this.created = null
    this.route = route
    this.set({ error: undefined })
  }

  set(shown: Partial<Pick<Sandbox, 'error' | 'search'>>): void {
    Object.assign(this, shown)
    this.#host.requestUpdate()
  }

  find(search: Partial<typeof noSearch>): void {
    // The newest of what is found is open.
    if (this.route.id) location.replace(this.link(this.route.section))
    this.set({ search: { ...this.search, ...search } })
  }

  async createKey(): Promise<void> {
    this.created = await this.act('POST', 'keys')
    this.#host.requestUpdate()
  }

  /**
   * Sends a request, unless another one runs. If it fails, shows why and returns `null`.
   *
   * @param path - Without `/` at its start: of the environment.
   */
  async act<Result>(method: Method, path: string, body?: unknown): Promise<Result | null> {
    const token = this.#token
    if (this.#isActing) return null
    this.#isActing = true
    this.error = undefined
    const whole = path.startsWith('/') ? path : `/environments/${this.environment?.id}/${path}`
    try {
      const signal = AbortSignal.timeout(actionTimeout)
      const result = await this.#send<Result>(method, whole, { body, signal })
      await this.#reading.run()
      return result
    } catch (error) {
      // The request may have been sent with an earlier token.
      if (token !== this.#token) return null
      if (isUnauthorized(error)) this.#lock()
      else this.error = error instanceof Rejection ? error.message : 'The service did not respond.'
      return null
    } finally {
      this.#isActing = false
      this.#host.requestUpdate()
    }
  }

  #lock(): void {
    this.#shared.forget()
    this.#token = undefined
    this.set({ error: tokenUnknown })
  }

  /** Shares a token that the service has accepted, and reads again after a second. */
  #onRead(error?: unknown): void {
    clearTimeout(this.#timer)
    if (isUnauthorized(error)) this.#lock()
    else this.#timer = setTimeout(() => void this.#reading.run(), interval)
    if (this.#token && error === undefined) this.#shared.keep(this.#token)
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { section, id } = this.route
    const get: Get = async (path) => await this.#send('GET', path, { signal })
    const [all, linked] = await Promise.all([
      get<{ environments: readonly SandboxEnvironment[] }>('/environments'),
      section === 'intents' && id ? get<ShownIntent>(`/intents/${id}`) : undefined,
    ])
    const { environments } = all ?? { environments: [] }
    // A link may lead to another merchant's intent.
    const wanted = linked?.environment ?? this.route.environment
    const environment = environments.find((each) => each.id === wanted) ?? environments[0]
    const data = environment && (await this.#readSection(`/environments/${environment.id}`, get))
    signal.throwIfAborted()
    const isSame = environment?.id === this.environment?.id
    if (!isSame) this.search = noSearch
    this.data = { ...(isSame ? this.data : {}), intent: linked, exchange: undefined, ...data }
    this.environments = environments
    this.environment = environment
    const address = { environment: environment?.id, section, id }
    if (writeRoute(address) === writeRoute(this.route)) return
    this.route = address
    location.replace(writeRoute(address))
  }

  async #readSection(path: string, get: Get): Promise<Data> {
    const { section, id } = this.route
    if (section === 'settings') return {}
    if (section === 'faults') return { faults: await get(`${path}/faults`) }
    if (section === 'intents') {
      const query = new URLSearchParams({ q: this.search.q })
      const intents = await get<IntentList>(`${path}/intents?${query}`)
      if (id) return { intents }
      const [newest] = intents?.intents ?? []
      return { intents, intent: newest && (await get<ShownIntent>(`/intents/${newest.id}`)) }
    }
    const [log, lint] = await Promise.all([
      get<{ requests: readonly LoggedRequest[] }>(`${path}/requests`),
      get<{ findings: readonly LintIssue[] }>(`${path}/lint`),
    ])
    const read = { requests: log?.requests ?? [], issues: lint?.findings ?? [] }
    const open = id ?? newestOf(read, this.search)
    if (open === undefined) return read
    return { ...read, exchange: await get<LoggedExchange>(`${path}/requests/${open}`) }
  }

  /** Returns `null` for what does not exist. */
  async #send<Body>(
    method: Method,
    path: string,
    { body, signal }: { readonly body?: unknown; readonly signal: AbortSignal },
  ): Promise<Body | null> {
    const headers = new Headers({ authorization: `Bearer ${this.#token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`/_sandbox${path}`, { method, headers, signal, ...content })
    // The service is of the same build.
    if (response.ok) return (await response.json()) as Body
    if (method === 'GET' && response.status === 404) return null
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new Rejection(response.status, detail ?? `The service returned ${response.status}.`)
  }
}

/** Returns the id of the newest request that a search finds. `undefined` for a log that the section cannot show, either. */
function newestOf(read: Log, search: typeof noSearch): string | undefined {
  try {
    return findRequests(read, search)[0]?.requestId
  } catch {
    return undefined
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Rejection && error.status === 401
}

/** `filter`: the name of one of requests. */
const noSearch = { q: '', filter: 'All' }

const tokenUnknown =
  'This token is not valid. Each start of the service creates a new one: open the link that the running service printed.'

/** In milliseconds. */
const interval = 1000
const readTimeout = 4000
const actionTimeout = 10_000
