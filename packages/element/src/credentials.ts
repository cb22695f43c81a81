/** The id and client secret that a page sets: which id owns the secret, and what was done for the two. @module */

/** What your server returns to the page: the response of `POST /checkout/handoff`. */
export interface Handoff {
  /** Id of the Payment Intent. */
  readonly id: string
  /** Secret of that intent. */
  readonly clientSecret: string
}

/** Requests a handoff from your server. `signal` aborts when the element no longer needs it. */
export type FetchHandoff = (options: { readonly signal: AbortSignal }) => Promise<Handoff>

/** An id and its secret as the element mounts them. Another object means another mount. */
export interface MountedCredentials {
  readonly id: string
  readonly secret: string
  /** Whether the automatic retry was used. */
  retried: boolean
  /** Whether `pi-finish` or `pi-cancel` was dispatched. */
  reported: boolean
}

/** What the page has set so far. */
export class Credentials {
  id: string | null = null
  #secret: string | null = null
  /** The first id that was set together with the secret. The secret is never sent for another one. */
  #owner: string | null = null
  #mounted: MountedCredentials | undefined
  #rejected: MountedCredentials | undefined

  /**
   * Stores the secret, and forgets its owner.
   *
   * @throws {TypeError} If the value is not a string, or is a secret API key.
   */
  setSecret(value: unknown): void {
    const secret = value ?? null
    if (secret !== null && typeof secret !== 'string') {
      throw new TypeError('clientSecret: must be a string or null')
    }
    if (secret?.startsWith('pi_sk_')) {
      throw new TypeError(
        'clientSecret: must not be a secret API key. Pass the clientSecret of a handoff',
      )
    }
    this.#secret = secret
    this.#owner = null
  }

  /**
   * Stores id and secret.
   *
   * @throws {TypeError} If one is missing.
   */
  setHandoff(value: unknown): void {
    const { id, clientSecret } = (value ?? {}) as Partial<Handoff>
    if (!id || !clientSecret || typeof id !== 'string') {
      throw new TypeError('handoff: must have id and clientSecret')
    }
    this.setSecret(clientSecret)
    this.id = this.#owner = id
  }

  /** Forgets id and secret. */
  clear(): void {
    this.id = this.#secret = null
    this.#rejected = undefined
  }

  /** Forgets id and secret after the checkout rejected them. The server may return the same ones again. */
  reject(): void {
    const rejected = this.#mounted
    this.clear()
    this.#rejected = rejected
  }

  /** Returns what to mount: the same object while id and secret stay the same, `undefined` without both. */
  get mounted(): MountedCredentials | undefined {
    const { id } = this
    if (id && this.#secret) {
      this.#owner ??= id
      if (this.#owner !== id) this.#secret = null
    }
    const secret = this.#secret
    if (!id || !secret) this.#mounted = undefined
    else if (this.#mounted?.id !== id || this.#mounted.secret !== secret) {
      const { id: rejectedId, secret: rejectedSecret, reported = false } = this.#rejected ?? {}
      const isSame = id === rejectedId && secret === rejectedSecret
      this.#mounted = { id, secret, retried: false, reported: isSame && reported }
    }
    return this.#mounted
  }

  /** Makes the next `mounted` a new object, so that the element mounts the same values again. */
  renew(): void {
    this.#mounted &&= { ...this.#mounted }
  }
}
