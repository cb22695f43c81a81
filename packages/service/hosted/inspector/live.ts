/**
 * What the inspector knows, kept up to date by the service's stream of changes.
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
  ShownIntent,
  SimulatedOutcome,
  StoredFaultRule,
} from '../../shared/sandbox-api.ts'
import { everyIntent, everyRequest, type IntentFilter, type RequestFilter } from './filters.ts'
import { type Part, Reading, type Typing } from './reading.ts'
import { RecentMap } from './recent-map.ts'
import { isUnknownToken, Refused, SandboxApi, tokenUnknown, wordsOf } from './sandbox-api.ts'
import { Search } from './search.ts'
import { keepFollowing } from './stream.ts'

/** `locked`: no token, or one that the service does not know. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

/** Of the intents that are shown no more; a list shows 200 at a time. */
const mostKnown = 2000

export class Live implements ReactiveController {
  connection: Connection = 'locked'
  /** Why the last token was not taken. */
  refusal: string | undefined
  /** What became of the last thing that was asked for, until it is read, closed or done. */
  trouble: string | undefined
  /** What reading ran into, until it goes well again. */
  outage: string | undefined
  /** Whether an outcome is on its way and not shown yet. */
  settling = false
  environments: readonly SandboxEnvironment[] = []
  commandOptions: string | null = ''
  environment: SandboxEnvironment | undefined
  intents: readonly PaymentIntent[] | undefined
  /** Whether there are intents before the last one shown. */
  older = false
  requests: readonly LoggedRequest[] = []
  keyUses: readonly KeyUse[] = []
  findings: readonly LintIssue[] = []
  rules: readonly StoredFaultRule[] = []
  /** What the lists are to hold; a change of section leaves it as it is. */
  readonly intentSearch = new Search(everyIntent)
  readonly requestSearch = new Search(everyRequest)
  detail: ShownIntent | undefined
  /** The open intent's id. */
  openId: string | undefined

  readonly #host: ReactiveControllerHost
  #api: SandboxApi | undefined
  #end = new AbortController()
  /** Whether the stream of changes is alive. */
  #streaming = false
  readonly #reading = new Reading(async (parts) => await this.#read(parts))
  /** Pages of intents that are shown. */
  #pages = 1
  /** Intents that were read, so that a list without one can still name it. */
  readonly #known = new RecentMap<PaymentIntent>(mostKnown)

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#end.abort()
  }

  /** Starts with a token. */
  unlock(token: string): void {
    this.#end.abort()
    this.#end = new AbortController()
    this.#api = new SandboxApi(token)
    this.#streaming = false
    this.refusal = undefined
    this.trouble = undefined
    this.outage = undefined
    this.#become('connecting')
    void keepFollowing(this.#api, {
      changed: (topics) => {
        this.#streaming = true
        void this.#reading.soon(topics)
      },
      lost: (reason) => this.#lose(reason),
      signal: this.#end.signal,
    })
  }

  /** Says why no token was taken. */
  refuse(reason: string): void {
    this.#end.abort()
    this.#api = undefined
    this.refusal = reason
    this.#become('locked')
  }

  /** Shows another environment, of which nothing is known yet. */
  async choose(id: string): Promise<void> {
    this.detail = undefined
    this.openId = undefined
    await this.#turnTo(id)
  }

  /** An intent that was read at some time. */
  known(id: string | null): PaymentIntent | undefined {
    return id === null ? undefined : this.#known.get(id)
  }

  /** Looks for intents in the whole store; of a text that is being typed, when it has come to rest. */
  async seekIntents(filter: Partial<IntentFilter>, how?: Typing): Promise<void> {
    this.intentSearch.change(filter)
    this.#pages = 1
    this.#host.requestUpdate()
    await this.#reading.now(['intents'], how)
  }

  /** Looks for requests, in the same way. */
  async seekRequests(filter: Partial<RequestFilter>, how?: Typing): Promise<void> {
    this.requestSearch.change(filter, { renew: filter.q !== undefined })
    this.#host.requestUpdate()
    if (filter.q !== undefined) await this.#reading.now(['requests'], how)
  }

  /** Shows another page of intents. */
  async showOlder(): Promise<void> {
    this.#pages++
    await this.#reading.now(['intents'])
  }

  /** Opens an intent, or closes the open one. */
  async open(id: string | undefined): Promise<void> {
    if (this.openId === id) return
    this.openId = id
    this.detail = undefined
    this.#host.requestUpdate()
    await this.#reading.now(['detail'])
  }

  /** Runs a control request; `undefined` when it was refused, and then `trouble` says why. */
  async act<Result>(
    action: (api: SandboxApi, environment: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    const api = this.#api
    if (!api || !this.environment) return undefined
    this.trouble = undefined
    try {
      return await action(api, this.environment.id)
    } catch (error) {
      // What was asked with the token before says nothing of this one.
      if (api !== this.#api) return undefined
      if (isUnknownToken(error)) this.refuse(tokenUnknown)
      else this.trouble = wordsOf(error)
      return undefined
    } finally {
      this.#host.requestUpdate()
    }
  }

  /** Brings an intent to an outcome. Until it is shown, another press changes nothing. */
  async settle(id: string, outcome: SimulatedOutcome): Promise<void> {
    if (this.settling) return
    this.settling = true
    await this.act(async (api) => await api.settle(id, outcome))
    await this.#reading.now(['detail'])
    this.settling = false
    this.#host.requestUpdate()
  }

  /** Takes the last refusal off the page. */
  dismiss(): void {
    this.trouble = undefined
    this.#host.requestUpdate()
  }

  async #turnTo(id: string): Promise<void> {
    const chosen = this.environments.find((environment) => environment.id === id)
    if (!chosen) return
    this.environment = chosen
    this.intents = undefined
    this.older = false
    this.requests = []
    this.keyUses = []
    this.findings = []
    this.rules = []
    this.#pages = 1
    this.#known.clear()
    this.#host.requestUpdate()
    await this.#reading.now(['intents', 'requests', 'idempotency', 'lint', 'faults'])
  }

  #lose(reason: unknown): void {
    if (reason !== undefined) this.#report(reason)
    // A token that is refused has locked all.
    if (!this.#api) return
    this.#streaming = false
    this.#become('lost')
  }

  /** Returns whether there is nothing to be read again. */
  async #read(parts: readonly Part[]): Promise<boolean> {
    const api = this.#api
    if (!api) return true
    try {
      if (parts.includes('environments') || !this.environment) await this.#readEnvironments(api)
      const id = this.environment?.id
      if (id) await Promise.all(parts.map(async (part) => await this.#readers[part](api, id)))
      if (api !== this.#api) return true
      this.outage = undefined
      if (this.#streaming) this.connection = 'live'
      this.#host.requestUpdate()
      return true
    } catch (error) {
      if (api === this.#api) this.#report(error)
      // The same question would be refused again.
      return error instanceof Refused && error.status < 500
    }
  }

  /** Each keeps what it has read only while its environment is still the chosen one. */
  readonly #readers: Readonly<
    Record<Part, (api: SandboxApi, environment: string) => Promise<void>>
  > = {
    intents: async (api, id) => {
      await Promise.all([this.#readIntents(api, id), this.#readDetail(api)])
    },
    detail: async (api) => await this.#readDetail(api),
    requests: async (api, id) => {
      const found = await this.requestSearch.read(
        async ({ q }, signal) => await api.requests(id, { q }, signal),
      )
      if (found && this.#shows(id)) this.requests = found.requests
    },
    idempotency: async (api, id) => {
      const { keys } = await api.keyUses(id)
      if (this.#shows(id)) this.keyUses = keys
    },
    lint: async (api, id) => {
      const { findings } = await api.findings(id)
      if (this.#shows(id)) this.findings = findings
    },
    faults: async (api, id) => {
      const { rules } = await api.rules(id)
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
    for (const intent of found.intents) this.#known.set(intent.id, intent)
    this.intents = found.intents
    this.older = found.older
  }

  async #readEnvironments(api: SandboxApi): Promise<void> {
    const { environments, commandOptions } = await api.environments()
    if (api !== this.#api) return
    this.environments = environments
    this.commandOptions = commandOptions
    const id = this.environment?.id
    this.environment = environments.find((each) => each.id === id) ?? environments[0]
  }

  async #readDetail(api: SandboxApi): Promise<void> {
    const id = this.openId
    if (!id) return
    const detail = await api.intent(id)
    if (this.openId !== id) return
    // A link can lead to another merchant's intent: the list beside it is to be of the same one.
    if (detail && !this.#shows(detail.environment)) void this.#turnTo(detail.environment)
    this.detail = detail
    if (!detail) this.openId = undefined
  }

  #report(error: unknown): void {
    if (isUnknownToken(error)) this.refuse(tokenUnknown)
    else if (error instanceof Refused) this.outage = error.message
    else this.connection = 'lost'
    this.#host.requestUpdate()
  }

  #become(connection: Connection): void {
    this.connection = connection
    this.#host.requestUpdate()
  }
}
