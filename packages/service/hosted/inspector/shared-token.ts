/**
 * The admin token, which a tab passes to the others of the service's origin. It is kept for a reload of the tab, and in
 * no store that outlives it. A hosted page in a shop's frame is in another partition, and hears nothing.
 *
 * @module
 */

export class SharedToken {
  readonly #channel = new BroadcastChannel('pi-inspector')
  #value: string | undefined

  /** @param onToken - Called with the token of another tab, while this one has none. */
  constructor(onToken: (token: string) => void) {
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === question) this.#send()
      else if (typeof data === 'string' && this.#value === undefined) onToken(data)
    }
  }

  /** Returns the token of this tab before its reload. If there is none, asks the other tabs. */
  find(): string | undefined {
    const kept = sessionStorage.getItem(name) ?? undefined
    if (kept === undefined) this.#channel.postMessage(question)
    return kept
  }

  /** Keeps a token that the service has accepted, and unlocks the other tabs. */
  keep(token: string): void {
    if (token === this.#value) return
    this.#value = token
    sessionStorage.setItem(name, token)
    this.#send()
  }

  forget(): void {
    this.#value = undefined
    sessionStorage.removeItem(name)
  }

  #send(): void {
    if (this.#value !== undefined) this.#channel.postMessage(this.#value)
  }
}

const name = 'pi-inspector-token'
const question = '?'
