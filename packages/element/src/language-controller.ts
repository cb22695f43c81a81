/** The language around an element: its `locale`, or the closest `lang`, also when it changes. @module */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { closestLanguage } from './texts.ts'

type Host = ReactiveControllerHost & Element & { readonly locale: string | null }

/** Updates its host when a `lang` changes. */
export class LanguageController implements ReactiveController {
  readonly #host: Host
  #observer: MutationObserver | undefined

  constructor(host: Host) {
    this.#host = host
    host.addController(this)
  }

  /** BCP 47 tag. */
  get tag(): string {
    return this.#host.locale || closestLanguage(this.#host) || 'en'
  }

  hostConnected(): void {
    this.#observer = new MutationObserver(() => this.#host.requestUpdate())
    // An element in a shadow root follows the page's language.
    const options = { attributes: true, attributeFilter: ['lang'], subtree: true }
    this.#observer.observe(document, options)
  }

  hostDisconnected(): void {
    this.#observer?.disconnect()
  }
}
