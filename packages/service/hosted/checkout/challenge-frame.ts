/**
 * The issuer's page in a frame that may not move the top page, open windows or learn where it is.
 *
 * Its messages only wake us: the result goes from the issuer to the service.
 *
 * @module
 */
import { html, LitElement, nothing } from 'lit'
import { property, query } from 'lit/decorators.js'
import { keyed } from 'lit/directives/keyed.js'
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import { spinner } from './icons.ts'
import { postTicket } from './post-ticket.ts'

/** The issuer's page says that something happened, or that its token is over. Never proof of anything. */
export class IssuerMessage extends Event {
  readonly message: 'done' | 'over'
  constructor(message: 'done' | 'over') {
    super('issuer-message', { bubbles: true })
    this.message = message
  }
}

/** @fires {IssuerMessage} issuer-message - The issuer's page wakes us. */
export class ChallengeFrame extends LitElement {
  @property({ attribute: false }) ticket: ChallengeTicket | undefined
  @property({ attribute: false }) locale = 'en'
  @property({ attribute: false }) label = ''
  @query('iframe') private readonly frame!: HTMLIFrameElement | null

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    window.addEventListener('message', this.#receive)
  }

  override disconnectedCallback(): void {
    window.removeEventListener('message', this.#receive)
    super.disconnectedCallback()
  }

  protected override updated(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('ticket') || !this.ticket) return
    postTicket(this.ticket, { target: frameName, locale: this.locale })
  }

  protected override render(): unknown {
    if (!this.ticket) return html`<div class="challenge waiting">${spinner}</div>`
    // A new frame per ticket: an old document must not stay behind in the history.
    return keyed(
      this.ticket.token,
      html`<iframe
        class="challenge"
        name=${frameName}
        title=${this.label || nothing}
        sandbox="allow-scripts allow-forms allow-same-origin"
        referrerpolicy="no-referrer"
        data-testid="challenge"
      ></iframe>`,
    )
  }

  readonly #receive = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (!this.ticket || !this.frame || source !== this.frame.contentWindow) return
    if (origin !== new URL(this.ticket.url).origin) return
    const message = readMessage(data)
    if (message) this.dispatchEvent(new IssuerMessage(message))
  }
}

const frameName = 'challenge'

function readMessage(data: unknown): IssuerMessage['message'] | undefined {
  if (typeof data !== 'object' || data === null || !('pi' in data) || !('t' in data))
    return undefined
  if (data.pi !== 'challenge') return undefined
  return data.t === 'done' || data.t === 'over' ? data.t : undefined
}
