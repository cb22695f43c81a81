/** Entry of the hosted page: registers its elements, which starts the handshake. @module */
import { CardForm } from './card-form.ts'
import { ChallengeFrame } from './challenge-frame.ts'
import { HostedPage } from './hosted-page.ts'

// The browser would load it with the first amount, which is too late for the first view.
void document.fonts.load('1em Dram', '֏')

customElements.define('card-form', CardForm)
customElements.define('challenge-frame', ChallengeFrame)
customElements.define('pi-hosted-page', HostedPage)
