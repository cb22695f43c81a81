/** What the address of the inspector names, read once a second and after each action. @module */
import { initialState, Task, TaskStatus } from '@lit/task'
import type { PaymentIntent, Problem } from '@pi-checkout/contract'
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
import { type Route, readRoute, type Section, writeRoute } from './route.ts'

/** What was read of one environment, except what the section does not show. */
export interface Reading extends Log {
  /** The part after `#` for which it was read. */
  readonly address: string
  readonly section: Section
  readonly environments: readonly SandboxEnvironment[]
  readonly environment: SandboxEnvironment
  readonly intents: readonly PaymentIntent[]
  readonly rules: readonly StoredFaultRule[]
  /** Id of the open intent or request: that of the address, or of the newest one of the list. */
  readonly openId: string | undefined
  /** The open one. `null` does not exist. */
  readonly intent: ShownIntent | null | undefined
  readonly exchange: LoggedExchange | null | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The service rejected a request. The message is shown to the user. */
class Rejection extends Error {
  override readonly name = 'Rejection'
}

export class Sandbox {
  /** Why the last token or action was rejected. */
  error: string | undefined
  /** `undefined` before the first one. */
  reading: Reading | undefined
  /** The key that was created since the address changed. */
  apiKey: string | undefined
  /** The text that was copied since then. */
  copied: string | undefined

  readonly #host: ReactiveControllerHost
  readonly #task: Task<readonly [token: string | null, address: string], Reading>
  /**
   * Passes the token to the other tabs of the service's origin. A hosted page in a shop's frame is in another partition,
   * and hears nothing.
   */
  readonly #channel = new BroadcastChannel('pi-inspector')
  #token = sessionStorage.getItem(tokenName)
  #isActing = false

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    this.#task = new Task(host, {
      args: () => [this.#token, location.hash],
      task: async ([token], { signal }) =>
        token === null
          ? initialState
          : await this.#read(AbortSignal.any([signal, AbortSignal.timeout(readTimeout)])),
      onComplete: (reading) => this.#show(reading),
    })
    setInterval(() => {
      if (this.#task.status !== TaskStatus.PENDING) void this.#task.run()
    }, interval)
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const accepted = sessionStorage.getItem(tokenName)
      if (data === question && accepted) this.#channel.postMessage(accepted)
      else if (data !== question && !accepted) this.#unlock(String(data))
    }
    if (this.#token === null) this.#channel.postMessage(question)
  }

  /** What the address says: the only state of where the inspector is. */
  get route(): Route {
    return readRoute(location.hash)
  }

  get isLocked(): boolean {
    return this.#token === null
  }

  /** Why the last read failed. */
  get failure(): string | undefined {
    const { error } = this.#task
    return error === undefined ? undefined : reasonOf(error)
  }

  /** Follows the address. A new link can be opened in the same tab. */
  follow(): void {
    this.error = undefined
    this.apiKey = undefined
    this.copied = undefined
    const token = takeToken()
    if (token) this.#unlock(token)
    this.#host.requestUpdate()
  }

  /** Returns the address of a section, or of an intent or request, of the same environment. */
  link(section: Section, id?: string): string {
    const { route, reading } = this
    const search = section === route.section ? { q: route.q, filter: route.filter } : {}
    return writeRoute({ environment: reading?.environment.id, section, id, ...search })
  }

  /** Changes what the list shows. The newest of what is found is open. */
  find(search: Pick<Route, 'q' | 'filter'>): void {
    location.replace(writeRoute({ ...this.route, id: undefined, ...search }))
  }

  async copy(content: string): Promise<void> {
    await navigator.clipboard.writeText(content)
    this.copied = content
    this.#host.requestUpdate()
  }

  async createKey(): Promise<void> {
    const created = await this.act<{ readonly apiKey: string }>('POST', 'keys')
    this.apiKey = created?.apiKey
    this.#host.requestUpdate()
  }

  /**
   * Sends a request, unless another one runs. If it fails, shows why and returns `null`.
   *
   * @param path - Without `/` at its start: of the environment.
   */
  async act<Result>(method: Method, path: string, body?: object): Promise<Result | null> {
    if (this.#isActing) return null
    this.#isActing = true
    this.error = undefined
    const { id } = this.reading?.environment ?? {}
    const whole = path.startsWith('/') ? path : `/environments/${id}/${path}`
    const signal = AbortSignal.timeout(actionTimeout)
    try {
      const result = await this.#send<Result>(method, whole, { body, signal })
      await this.#task.run()
      return result
    } catch (error) {
      this.error ??= reasonOf(error)
      return null
    } finally {
      this.#isActing = false
      this.#host.requestUpdate()
    }
  }

  /** Tries a token. */
  #unlock(token: string): void {
    this.#token = token
    this.error = undefined
    this.#host.requestUpdate()
  }

  #show(reading: Reading): void {
    // The address has changed since, and is read next.
    if (reading.address !== location.hash) return
    this.reading = reading
    // A link may lead to another merchant's intent.
    const address = writeRoute({ ...this.route, environment: reading.environment.id })
    if (address !== location.hash) history.replaceState(null, '', address)
    if (sessionStorage.getItem(tokenName) === this.#token) return
    // It was accepted: it is kept for a reload of this tab, and unlocks the others.
    sessionStorage.setItem(tokenName, String(this.#token))
    this.#channel.postMessage(this.#token)
  }

  async #read(signal: AbortSignal): Promise<Reading> {
    const { route } = this
    const address = location.hash
    const { section, id, q = '' } = route
    const get = async <Body>(path: string) => await this.#send<Body>('GET', path, { signal })
    const readIntent = async (id: string | undefined) =>
      section === 'intents' && id ? await get<ShownIntent>(`/intents/${id}`) : undefined
    const [all, linked] = await Promise.all([
      get<{ environments: readonly SandboxEnvironment[] }>('/environments'),
      readIntent(id),
    ])
    const environments = all?.environments ?? []
    const wanted = linked?.environment ?? route.environment
    const environment = environments.find(({ id }) => id === wanted) ?? environments[0]
    if (!environment) throw new Rejection('This service has no test environment.')

    const list = async <Body>(of: Section, path: string) =>
      section === of ? await get<Body>(`/environments/${environment.id}/${path}`) : null
    const [found, log, lint, faults] = await Promise.all([
      list<IntentList>('intents', `intents?${new URLSearchParams({ q })}`),
      list<{ requests: readonly LoggedRequest[] }>('requests', 'requests'),
      list<{ findings: readonly LintIssue[] }>('requests', 'lint'),
      list<{ rules: readonly StoredFaultRule[] }>('faults', 'faults'),
    ])
    const intents = found?.intents ?? []
    const shown = { requests: log?.requests ?? [], issues: lint?.findings ?? [] }
    const openId = id ?? intents[0]?.id ?? newestOf(shown, route)
    const intent = linked === undefined ? await readIntent(openId) : linked
    const exchange = openId
      ? await list<LoggedExchange>('requests', `requests/${openId}`)
      : undefined
    signal.throwIfAborted()
    const rules = faults?.rules ?? []
    return {
      address,
      section,
      environments,
      environment,
      intents,
      ...shown,
      rules,
      openId,
      intent,
      exchange,
    }
  }

  /** Returns `null` for what does not exist. */
  async #send<Body>(
    method: Method,
    path: string,
    { body, signal }: { readonly body?: object | undefined; readonly signal: AbortSignal },
  ): Promise<Body | null> {
    const token = this.#token
    const headers = new Headers({ authorization: `Bearer ${token}` })
    if (body) headers.set('content-type', 'application/json')
    const content = body && { body: JSON.stringify(body) }
    const response = await fetch(`/_sandbox${path}`, { method, headers, signal, ...content })
    // The service is of the same build.
    if (response.ok) return (await response.json()) as Body
    if (method === 'GET' && response.status === 404) return null
    if (response.status === 401 && token === this.#token) {
      sessionStorage.removeItem(tokenName)
      this.#token = null
      this.error = tokenUnknown
    }
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new Rejection(detail ?? `The service returned ${response.status}.`)
  }
}

/** Returns the id of the newest request that a search finds. `undefined` for a log that the section cannot show, either. */
function newestOf(log: Log, search: Route): string | undefined {
  try {
    return findRequests(log, search)[0]?.requestId
  } catch {
    return undefined
  }
}

/** Removes the admin token from the address and returns it; `undefined` if there is none. */
function takeToken(): string | undefined {
  const [, token, route] = /^#([\w-]{43})(\/.*)?$/.exec(location.hash) ?? []
  if (token) history.replaceState(null, '', route ? `#${route}` : location.pathname)
  return token
}

function reasonOf(error: unknown): string {
  return error instanceof Rejection ? error.message : 'The service does not respond.'
}

const tokenUnknown =
  'This token is not valid. Each start of the service creates a new one: open the link that the running service printed.'

/** Of the token in the store of the tab, which only a reload outlives. */
const tokenName = 'pi-inspector-token'
/** A tab asks the others for their token. */
const question = '?'

/** In milliseconds. */
const interval = 1000
const readTimeout = 4000
const actionTimeout = 10_000
