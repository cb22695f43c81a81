/** Client of the sandbox API. @module */
import type { PaymentIntent, Problem } from '@pi-checkout/contract'
import type { IntentPage, ShownIntent, Topic } from '../../shared/sandbox-api.ts'
import type { IntentFilter } from './search.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type SandboxRequest = [method: Method, path: string, body?: unknown, signal?: AbortSignal]

/** The service rejected a request. `message` is shown to the user. */
export class SandboxApiError extends Error {
  override readonly name = 'SandboxApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns whether a request was rejected because of its token. */
export function isUnknownToken(error: unknown): boolean {
  return error instanceof SandboxApiError && error.status === 401
}

export const tokenUnknown =
  'This token is not valid. Each start of the service creates a new one: open the link that the running service printed.'

/** Returns the message for a failed request. */
export function messageOf(error: unknown): string {
  return error instanceof SandboxApiError ? error.message : 'The service did not respond.'
}

export class SandboxApi {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  /** Sends a request and returns the body of the response. */
  async send<Body>(...request: SandboxRequest): Promise<Body> {
    const response = await this.#fetch(...request)
    // The service is of the same build.
    return (await response.json()) as Body
  }

  /** Reads the given number of pages of matching intents, the newest first. */
  async intents(
    environment: string,
    { filter, pages }: { readonly filter: IntentFilter; readonly pages: number },
    signal: AbortSignal,
  ): Promise<IntentPage> {
    const intents: PaymentIntent[] = []
    let before: string | undefined
    for (let page = 1; ; page++) {
      const path = `/environments/${environment}/intents${queryText({ ...filter, before })}`
      const read = await this.send<IntentPage>('GET', path, undefined, signal)
      intents.push(...read.intents)
      if (page >= pages || !read.next) return { intents, next: read.next }
      before = read.next
    }
  }

  /** Reads one intent; `undefined` if it does not exist. */
  async intent(id: string): Promise<ShownIntent | undefined> {
    try {
      return await this.send('GET', `/intents/${id}`)
    } catch (error) {
      if (error instanceof SandboxApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** @param after - `next` of the previous part; empty for the first. */
  async export(after: string): Promise<{ readonly file: Blob; readonly next: string }> {
    const file = await (await this.#fetch('GET', `/export${queryText({ after })}`)).blob()
    // Large files are not parsed: `next` is at the end.
    const [, next = ''] = /"next":"([\w-]+)"\}\s*$/.exec(await file.slice(-200).text()) ?? []
    return { file, next }
  }

  /** Calls `onChange` with the changed topics until the signal aborts or the stream ends. */
  async follow(onChange: (topics: readonly Topic[]) => void, signal: AbortSignal): Promise<void> {
    const { body } = await this.#fetch('GET', '/events', undefined, signal)
    if (!body) return
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (text + value).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? []
        if (data) onChange(JSON.parse(data).topics)
      }
    }
  }

  async #fetch(...[method, path, body, signal]: SandboxRequest): Promise<Response> {
    const response = await fetch(`/_sandbox${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    const { detail } = (await response.json().catch(() => ({}))) as Partial<Problem>
    throw new SandboxApiError(response.status, detail ?? `The service returned ${response.status}.`)
  }
}

/** Returns a query string without empty values. */
export function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}
