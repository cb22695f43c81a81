/**
 * What the inspector knows, kept up to date by the service's stream of changes.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Topic } from '../../src/sandbox/changes.ts'
import type { FaultRule } from '../../src/sandbox/faults.ts'
import type { Exchange } from '../../src/sandbox/journal.ts'
import type { KeyUse } from '../../src/sandbox/key-uses.ts'
import type { Finding } from '../../src/sandbox/lint.ts'
import { type Detail, Refused, SandboxApi, type SandboxEnvironment } from './sandbox-api.ts'

/** `locked`: no token, or one that the service does not know. */
export type Connection = 'locked' | 'connecting' | 'live' | 'lost'

export class Live implements ReactiveController {
  connection: Connection = 'locked'
  /** The last refusal, for the person at the screen. */
  trouble: string | undefined
  environments: readonly SandboxEnvironment[] = []
  commandOptions: string | null = ''
  environment: SandboxEnvironment | undefined
  intents: readonly PaymentIntent[] | undefined
  /** Whether there are intents before the last one shown. */
  older = false
  requests: readonly Exchange[] = []
  keyUses: readonly KeyUse[] = []
  findings: readonly Finding[] = []
  rules: readonly FaultRule[] = []
  detail: Detail | undefined
  /** The open intent's id. */
  openId: string | undefined

  readonly #host: ReactiveControllerHost
  #api: SandboxApi | undefined
  #end = new AbortController()
  readonly #due = new Set<Topic>()
  #reading = false
  /** Pages of intents that are shown. */
  #pages = 1

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  hostConnected(): void {}

  hostDisconnected(): void {
    this.#end.abort()
  }

  /** Starts with a token. */
  unlock(token: string): void {
    this.#end.abort()
    this.#end = new AbortController()
    this.#api = new SandboxApi(token)
    this.trouble = undefined
    this.#become('connecting')
    void this.#follow(this.#api, this.#end.signal)
  }

  /** Shows another environment. */
  async choose(id: string): Promise<void> {
    this.environment = this.environments.find((environment) => environment.id === id)
    this.intents = undefined
    this.#pages = 1
    this.#host.requestUpdate()
    await this.#read(['intents', 'requests', 'idempotency', 'lint'])
  }

  /** Shows another page of intents. */
  async showOlder(): Promise<void> {
    this.#pages++
    await this.#readSoon(['intents'])
  }

  /** Opens an intent, or closes the open one. */
  async open(id: string | undefined): Promise<void> {
    if (this.openId === id) return
    this.openId = id
    this.detail = undefined
    this.#host.requestUpdate()
    await this.#readDetail()
  }

  /** Runs a control request; a refusal becomes `trouble`. */
  async act<Result>(
    action: (api: SandboxApi, environment: string) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (!this.#api || !this.environment) return undefined
    try {
      const result = await action(this.#api, this.environment.id)
      this.trouble = undefined
      return result
    } catch (error) {
      this.#report(error)
      return undefined
    } finally {
      this.#host.requestUpdate()
    }
  }

  async #follow(api: SandboxApi, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && api === this.#api) {
      try {
        await api.follow((topics) => void this.#readSoon(topics), signal)
      } catch (error) {
        if (signal.aborted) return
        this.#report(error)
        if (this.connection === 'locked') return
      }
      this.#become('lost')
      await new Promise((resolve) => setTimeout(resolve, retryAfter))
    }
  }

  /** One reading at a time, with rests in between: a busy service is not slowed by being watched. */
  async #readSoon(topics: readonly Topic[]): Promise<void> {
    for (const topic of topics) this.#due.add(topic)
    if (this.#reading) return
    this.#reading = true
    while (this.#due.size > 0) {
      const next = [...this.#due]
      this.#due.clear()
      const begin = performance.now()
      await this.#read(next)
      const rest = 3 * (performance.now() - begin)
      await new Promise((resolve) => setTimeout(resolve, rest))
    }
    this.#reading = false
  }

  async #read(topics: readonly Topic[]): Promise<void> {
    const api = this.#api
    if (!api) return
    try {
      if (topics.includes('environments') || !this.environment) await this.#readEnvironments(api)
      const id = this.environment?.id
      if (!id) return
      const read = {
        intents: async () => {
          await this.#readIntents(api, id)
          await this.#readDetail()
        },
        requests: async () => {
          this.requests = (await api.requests(id)).requests
        },
        idempotency: async () => {
          this.keyUses = (await api.keyUses(id)).keys
        },
        lint: async () => {
          this.findings = (await api.findings(id)).findings
        },
        faults: async () => {
          this.rules = (await api.rules()).rules
        },
        environments: async () => {},
      } satisfies Record<Topic, () => Promise<void>>
      await Promise.all(topics.map(async (topic) => await read[topic]()))
      this.#become('live')
    } catch (error) {
      this.#report(error)
    }
  }

  async #readIntents(api: SandboxApi, environment: string): Promise<void> {
    let page = await api.intents(environment)
    const intents = [...page.intents]
    for (let pages = 1; pages < this.#pages && page.older; pages++) {
      page = await api.intents(environment, intents.at(-1)?.id)
      intents.push(...page.intents)
    }
    if (environment !== this.environment?.id) return
    this.intents = intents
    this.older = page.older
  }

  async #readEnvironments(api: SandboxApi): Promise<void> {
    const { environments, commandOptions } = await api.environments()
    this.environments = environments
    this.commandOptions = commandOptions
    const id = this.environment?.id
    this.environment = environments.find((each) => each.id === id) ?? environments[0]
  }

  async #readDetail(): Promise<void> {
    const id = this.openId
    if (!id || !this.#api) return
    try {
      const detail = await this.#api.intent(id)
      if (this.openId === id) this.detail = detail
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error
      // Reset, or never there.
      this.detail = undefined
      this.openId = undefined
    }
    this.#host.requestUpdate()
  }

  #report(error: unknown): void {
    if (error instanceof Refused && error.status === 401) this.connection = 'locked'
    else if (error instanceof Refused) this.trouble = error.message
    else this.connection = 'lost'
    this.#host.requestUpdate()
  }

  #become(connection: Connection): void {
    this.connection = connection
    this.#host.requestUpdate()
  }
}

const retryAfter = 1500
