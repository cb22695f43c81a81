/** The frame of an element: mounted from a handoff, named, and kept in the page's language and look. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { settings } from './configure-checkout.ts'
import { FrameSession, type SessionEvent } from './frame-session.ts'
import type { Handoff } from './handoff.ts'
import type { LanguageController } from './language-controller.ts'

type Host = ReactiveControllerHost & { readonly appearance: Appearance | null }

export class FrameController implements ReactiveController {
  readonly #host: Host
  readonly #language: LanguageController
  #session: FrameSession | undefined
  /** Locale and appearance that the page of the frame has. */
  #sent = ''

  constructor(host: Host, language: LanguageController) {
    this.#host = host
    this.#language = language
    host.addController(this)
  }

  get element(): HTMLIFrameElement | undefined {
    return this.#session?.frame
  }

  /** Replaces the frame. The page of the new one receives the secret through its port only. */
  mount(handoff: Handoff, emit: (event: SessionEvent) => void): void {
    this.unmount()
    this.#sent = this.#look
    this.#session = new FrameSession({
      handoff,
      origin: settings.checkoutOrigin ?? location.origin,
      locale: () => this.#language.tag,
      appearance: () => this.#appearance,
      emit,
    })
  }

  /** The element removes the frame with its next update. */
  unmount(): void {
    this.#session?.end()
    this.#session = undefined
  }

  hostUpdated(): void {
    if (!this.#session || this.#sent === this.#look) return
    this.#sent = this.#look
    this.#session.configure()
  }

  hostDisconnected(): void {
    // A frame that stays in the shadow root would load again with the next insertion.
    this.element?.remove()
    this.unmount()
  }

  get #appearance(): Appearance | null | undefined {
    return this.#host.appearance ?? settings.appearance
  }

  get #look(): string {
    return this.#language.tag + JSON.stringify(this.#appearance)
  }
}
