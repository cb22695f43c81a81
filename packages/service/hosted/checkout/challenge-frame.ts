/** The issuer's page in a sandboxed iframe. Its messages only trigger a read: the service has the result. @module */
import { html, nothing } from 'lit'
import { property, query } from 'lit/decorators.js'
import { keyed } from 'lit/directives/keyed.js'
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import { LightElement } from '../light-element.ts'
import { spinner } from './icons.ts'
import { submitChallenge } from './submit-challenge.ts'

/** A hint from the issuer's page: the challenge is done, or its token is no longer valid. Proves nothing. */
export type IssuerMessage = 'done' | 'over'

export class ChallengeFrame extends LightElement {
  @property({ attribute: false }) ticket: ChallengeTicket | undefined
  @property({ attribute: false }) locale = 'en'
  @property({ attribute: false }) label = ''
  @property({ attribute: false }) onMessage: (message: IssuerMessage) => void = () => {}
  @query('iframe') private readonly frame!: HTMLIFrameElement | null

  override connectedCallback(): void {
    super.connectedCallback()
    window.addEventListener('message', this.#onMessage)
  }

  override disconnectedCallback(): void {
    window.removeEventListener('message', this.#onMessage)
    super.disconnectedCallback()
  }

  protected override updated(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('ticket') || !this.ticket) return
    submitChallenge(this.ticket, { target: frameName, locale: this.locale })
  }

  protected override render(): unknown {
    if (!this.ticket) return html`<div class="challenge waiting">${spinner}</div>`
    // A new iframe for each ticket, so that the history keeps no old document.
    return keyed(
      this.ticket.token,
      html`<iframe
        class="challenge"
        name=${frameName}
        title=${this.label || nothing}
        sandbox="allow-scripts allow-forms allow-same-origin"
        referrerpolicy="no-referrer"
        @load=${this.#onLoad}
      ></iframe>`,
    )
  }

  /** The pressed button was removed with the form. A buyer who has focused something else stays there. */
  readonly #onLoad = (): void => {
    // The empty document that a new frame has first would lose the focus to the bank's.
    if (!this.frame || this.frame.contentDocument) return
    if (document.hasFocus() && document.activeElement === document.body) this.frame.focus()
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (!this.ticket || !this.frame || source !== this.frame.contentWindow) return
    if (origin !== new URL(this.ticket.url).origin) return
    const { pi, t, height } = Object(data) as Readonly<Record<string, unknown>>
    if (pi !== 'challenge') return
    if (t === 'done' || t === 'over') this.onMessage(t)
    else if (t === 'size') {
      this.frame.style.blockSize = `${Math.min(Number(height) + borders, maxHeight)}px`
    }
  }
}

/** In pixels. Without a bound, a bank could push the rest of the page away. */
const maxHeight = 700
const borders = 2

const frameName = 'challenge'
