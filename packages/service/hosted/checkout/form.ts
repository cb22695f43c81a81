/** The form's script: registers the elements of the page, and shows the payment. @module */
import { CardForm } from './card-form.ts'
import { ChallengeFrame } from './challenge-frame.ts'
import { HostedPage } from './hosted-page.ts'
import type { PageSession } from './page-session.ts'

/** Shows the payment of a session. */
export function showForm(session: PageSession): void {
  customElements.define('card-form', CardForm)
  customElements.define('challenge-frame', ChallengeFrame)
  customElements.define('pi-hosted-page', HostedPage)
  document.body.prepend(new HostedPage(session))
}
