/** What the address of the inspector names, read once a second and after each action. @module */
import { initialState, Task } from '@lit/task'
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
import { findRequests } from './request-filters.ts'
import { type Route, readRoute, type Section, writeRoute } from './route.ts'

/** What was read. */
export interface Reading {
  readonly environments: readonly SandboxEnvironment[]
  readonly environment: SandboxEnvironment
  readonly shown: IntentsShown | RequestsShown | FaultsShown | SettingsShown
}

/** `open` is the item of the address, or the newest of the list. `null` does not exist. */
export interface IntentsShown {
  readonly section: 'intents'
  readonly intents: readonly PaymentIntent[]
  readonly open: ShownIntent | null | undefined
}

export interface RequestsShown {
  readonly section: 'requests'
  /** The whole log. */
  readonly requests: readonly LoggedRequest[]
  readonly issues: readonly LintIssue[]
  readonly open?: LoggedExchange | null | undefined
}

export interface FaultsShown {
  readonly section: 'faults'
  readonly rules: readonly StoredFaultRule[]
}

export interface SettingsShown {
  readonly section: 'settings'
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
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    this.#task = new Task(host, {
      args: () => [this.#token, location.hash],
      task: async ([token], { signal }) =>
        token === null
          ? initialState
          : await this.#read(AbortSignal.any([signal, AbortSignal.timeout(readTimeout)])),
      onComplete: (reading) => this.#onRead(reading),
      onError: (error) => this.#onError(error),
    })
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

  /** Id of the open intent or request: that of the address, or of the newest one of the list. */
  get openId(): string | undefined {
    const shown = this.reading?.shown
    if (this.route.id || !shown) return this.route.id
    if (shown.section === 'intents') return shown.open?.intent.id
    return shown.section === 'requests' ? shown.open?.request.requestId : undefined
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
  async act<Result>(method: Method, path: string, body?: unknown): Promise<Result | null> {
    if (this.#isActing) return null
    this.#isActing = true
    this.error = undefined
    const token = this.#token
    const { id } = this.reading?.environment ?? {}
    const whole = path.startsWith('/') ? path : `/environments/${id}/${path}`
    try {
      const signal = AbortSignal.timeout(actionTimeout)
      const result = await this.#send<Result>(method, whole, { body, signal })
      await this.#task.run()
      return result
    } catch (error) {
      // The request may have been sent with an earlier token.
      if (token !== this.#token) return null
      if (isUnauthorized(error)) this.#lock()
      else this.error = reasonOf(error)
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

  #lock(): void {
    sessionStorage.removeItem(tokenName)
    this.#token = null
    this.error = tokenUnknown
  }

  #onRead(reading: Reading): void {
    this.reading = reading
    this.#readLater()
    // A link may lead to another merchant's intent.
    const address = writeRoute({ ...this.route, environment: reading.environment.id })
    if (address !== location.hash) history.replaceState(null, '', address)
    if (sessionStorage.getItem(tokenName) === this.#token) return
    // It was accepted: it is kept for a reload of this tab, and unlocks the others.
    sessionStorage.setItem(tokenName, String(this.#token))
    this.#channel.postMessage(this.#token)
  }

  #onError(error: unknown): void {
    if (isUnauthorized(error)) this.#lock()
    else this.#readLater()
  }

  #readLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#task.run(), interval)
  }

  async #read(signal: AbortSignal): Promise<Reading> {
    const { route } = this
    const get: Get = async (path) => await this.#send('GET', path, { signal })
    const [all, linked] = await Promise.all([
      get<{ environments: readonly SandboxEnvironment[] }>('/environments'),
      route.section === 'intents' && route.id
        ? get<ShownIntent>(`/intents/${route.id}`)
        : undefined,
    ])
    const environments = all?.environments ?? []
    const wanted = linked?.environment ?? route.environment
    const environment = environments.find(({ id }) => id === wanted) ?? environments[0]
    if (!environment) throw new Rejection(404, 'This service has no test environment.')
    const shown = await readSection(`/environments/${environment.id}`, { get, route, linked })
    signal.throwIfAborted()
    return { environments, environment, shown }
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

interface SectionRead {
  readonly get: Get
  readonly route: Route
  /** The intent of the address. */
  readonly linked: ShownIntent | null | undefined
}

/** @param path - Of the environment. */
async function readSection(
  path: string,
  { get, route, linked }: SectionRead,
): Promise<Reading['shown']> {
  const { section, id, q = '' } = route
  if (section === 'settings') return { section }
  if (section === 'faults') {
    const found = await get<{ rules: readonly StoredFaultRule[] }>(`${path}/faults`)
    return { section, rules: found?.rules ?? [] }
  }
  if (section === 'intents') {
    const found = await get<IntentList>(`${path}/intents?${new URLSearchParams({ q })}`)
    const intents = found?.intents ?? []
    const [newest] = intents
    const isNewest = linked === undefined && newest !== undefined
    return { section, intents, open: isNewest ? await get(`/intents/${newest.id}`) : linked }
  }
  const [found, lint] = await Promise.all([
    get<{ requests: readonly LoggedRequest[] }>(`${path}/requests`),
    get<{ findings: readonly LintIssue[] }>(`${path}/lint`),
  ])
  const log = { section, requests: found?.requests ?? [], issues: lint?.findings ?? [] }
  const openId = id ?? newestOf(log, route)
  if (openId === undefined) return log
  return { ...log, open: await get<LoggedExchange>(`${path}/requests/${openId}`) }
}

/** Returns the id of the newest request that a search finds. `undefined` for a log that the section cannot show, either. */
function newestOf(log: RequestsShown, search: Route): string | undefined {
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

function isUnauthorized(error: unknown): boolean {
  return error instanceof Rejection && error.status === 401
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
