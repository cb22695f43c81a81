/** Entry of the inspector. The page removes the admin token from the address. @module */
import { Inspector } from './inspector.ts'

customElements.define('pi-inspector', Inspector)
