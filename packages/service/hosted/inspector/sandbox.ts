/** What the address of the inspector names, read once a second and after each action. @module */
import { initialState, Task, TaskStatus } from '@lit/task'
import type { Problem } from '@pi-checkout/contract'
import type { ReactiveControllerHost } from 'lit'
import type { SandboxEnvironment, ShownIntent } from '../../shared/sandbox-api.ts'
import { type Route, readRoute, type Section, writeRoute } from './route.ts'

/** What a section reads with. */
export interface Source {
  readonly sandbox: Sandbox
  readonly route: Route
  readonly environment: SandboxEnvironment
  /** Returns `null` for what does not exist. A path without `/` at its start is of the environment. */
  get<Body>(path: string): Promise<Body | null>
}

/** Reads what a section shows, and returns the function that shows it. */
export type Read = (source: Source) => Promise<() => unknown>

export interface Reading {
  /** The part after `#` for which it was read. */
  readonly address: string
  readonly route: Route
  readonly environments: readonly SandboxEnvironment[]
  readonly environment: SandboxEnvironment
  show(): unknown
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export class Sandbox {
  /** Why the last token or action was rejected. */
  error: string | undefined
  /** `undefined` before the first one. */
  reading: Reading | undefined
  /** The key that was created since the address changed. */
  apiKey: string | undefined

  readonly #host: ReactiveControllerHost
  readonly #sections: Readonly<Record<Section, Read>>
  readonly #task: Task<readonly [token: string | null, address: string], Reading>
  /**
   * Passes the token to the other tabs of the service's origin. A hosted page in a shop's frame is in another partition,
   * and hears nothing.
   */
  readonly #channel = new BroadcastChannel('pi-inspector')
  #token = sessionStorage.getItem(tokenName)
  #isActing = false

  constructor(host: ReactiveControllerHost, sections: Readonly<Record<Section, Read>>) {
    this.#host = host
    this.#sections = sections
    this.#task = new Task(host, {
      args: () => [this.#token, location.hash],
      task: async ([token], { signal }) =>
        token === null
          ? initialState
          : await this.#read(AbortSignal.any([signal, AbortSignal.timeout(readTimeout)])),
      onComplete: (reading) => this.#accept(reading),
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
    return error === undefined ? undefined : messageOf(error)
  }

  /** Follows the address. A new link can be opened in the same tab. */
  follow(): void {
    this.error = undefined
    this.apiKey = undefined
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

  /** Changes which items the list shows. */
  find(search: Pick<Route, 'q' | 'filter'>): void {
    location.replace(writeRoute({ ...this.route, ...search }))
  }

  async createKey(): Promise<void> {
    this.apiKey = undefined
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
    const environment = this.reading?.environment
    const signal = AbortSignal.timeout(actionTimeout)
    try {
      const result = await this.#send<Result>(method, path, { environment, body, signal })
      await this.#task.run()
      return result
    } catch (error) {
      this.error ??= messageOf(error)
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

  #accept(reading: Reading): void {
    // The address has changed since, and is read next.
    if (reading.address !== location.hash) return
    this.reading = reading
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
    const { section, id } = route
    let environment: SandboxEnvironment | undefined
    const get: Source['get'] = async (path) =>
      await this.#send('GET', path, { environment, signal })
    const all = await get<{ readonly environments: readonly SandboxEnvironment[] }>('/environments')
    const environments = all?.environments ?? []
    // The link of a shop names an intent, and no environment.
    const isLinked = section === 'intents' && id && !route.environment
    const linked = isLinked ? await get<ShownIntent>(`/intents/${id}`) : null
    const wanted = linked?.environment ?? route.environment
    environment = environments.find(({ id }) => id === wanted) ?? environments[0]
    if (!environment) throw new Error('This service has no test environment.')
    const show = await this.#sections[section]({ sandbox: this, route, environment, get })
    return { address, route, environments, environment, show }
  }

  /** Returns `null` for what does not exist. */
  async #send<Body>(method: Method, path: string, options: SendOptions): Promise<Body | null> {
    const { environment, body, signal } = options
    const token = this.#token
    const headers = new Headers({ authorization: `Bearer ${token}` })
    if (body) headers.set('content-type', 'application/json')
    const content = body && { body: JSON.stringify(body) }
    const whole = path.startsWith('/') ? path : `/environments/${environment?.id}/${path}`
    const sent = fetch(`/_sandbox${whole}`, { method, headers, signal, ...content })
    const response = await sent.catch(() => {
      throw new Error('The service does not respond.')
    })
    // The service is of the same build.
    if (response.ok) return (await response.json()) as Body
    if (method === 'GET' && response.status === 404) return null
    if (response.status === 401 && token === this.#token) {
      sessionStorage.removeItem(tokenName)
      this.#token = null
      this.error = tokenUnknown
    }
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new Error(detail ?? `The service returned ${response.status}.`)
  }
}

interface SendOptions {
  readonly environment?: SandboxEnvironment | undefined
  readonly body?: object | undefined
  readonly signal: AbortSignal
}

/** Removes the admin token from the address and returns it; `undefined` if there is none. */
function takeToken(): string | undefined {
  const [, token, route] = /^#([\w-]{43})(\/.*)?$/.exec(location.hash) ?? []
  if (token) history.replaceState(null, '', route ? `#${route}` : location.pathname)
  return token
}

/** Also of what is no error. */
function messageOf(error: unknown): string {
  return String(Object(error).message)
}

const tokenUnknown = 'This token is not valid. Each start of the service creates a new one.'

/** Of the token in the store of the tab, which only a reload outlives. */
const tokenName = 'pi-inspector-token'
/** A tab asks the others for their token. */
const question = '?'

/** In milliseconds. */
const interval = 1000
const readTimeout = 4000
const actionTimeout = 10_000
