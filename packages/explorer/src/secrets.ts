/** The secrets of a sequence, and where they must not be. @module */
import type { Received } from './buyer.ts'
import type { RecordedRequest } from './exploration.ts'
import { Violation } from './violation.ts'

export class Secrets {
  readonly #apiKey: string
  /** Paths whose responses contain a `clientSecret`. */
  readonly #handoffPaths: readonly string[]
  readonly #clientSecrets = new Set<string>()

  constructor(apiKey: string, handoffPaths: readonly string[]) {
    this.#apiKey = apiKey
    this.#handoffPaths = handoffPaths
  }

  add(clientSecret: string): void {
    this.#clientSecrets.add(clientSecret)
  }

  /** @throws {Violation} If a response contains a secret that does not belong there. */
  checkResponse(
    { method, path }: Pick<RecordedRequest, 'method' | 'path'>,
    { head, body }: Received,
  ): void {
    const isHandoff = this.#handoffPaths.includes(path.split('?')[0] ?? '')
    const isExposed = (secret: string): boolean => head.includes(secret) || body.includes(secret)
    let exposed = ''
    if (isExposed(this.#apiKey)) exposed = 'the API key'
    for (const secret of this.#clientSecrets) {
      if (isHandoff ? head.includes(secret) : isExposed(secret)) exposed = 'a clientSecret'
    }
    if (exposed === '') return
    throw new Violation(
      'secret_exposed',
      `${method} ${path} returned ${exposed}. Only the response to the handoff contains a clientSecret.`,
    )
  }

  /** @throws {Violation} If the shop has printed a secret. */
  checkOutput(lines: readonly string[]): void {
    const secrets = [this.#apiKey, ...this.#clientSecrets]
    const line = lines.find((text) => secrets.some((secret) => text.includes(secret)))
    if (line === undefined) return
    let shown = line
    for (const secret of secrets) shown = shown.replaceAll(secret, '[secret]')
    throw new Violation('secret_exposed', `The shop printed a secret: ${shown}`)
  }
}
