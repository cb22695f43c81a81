/**
 * The hosted page's entry: registers its elements, and the handshake starts at once.
 *
 * @module
 */
import { CardForm } from './card-form.ts'
import { ChallengeFrame } from './challenge-frame.ts'
import { HostedPage } from './hosted-page.ts'
import { SandboxPanel } from './sandbox-panel.ts'

customElements.define('sandbox-panel', SandboxPanel)
customElements.define('card-form', CardForm)
customElements.define('challenge-frame', ChallengeFrame)
customElements.define('pi-hosted-page', HostedPage)
