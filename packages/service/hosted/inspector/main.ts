/** Entry of the inspector. The page is defined last, because it removes the admin token from the address. @module */
import { FaultsSection } from './faults-section.ts'
import { Inspector } from './inspector.ts'
import { IntentsSection } from './intents-section.ts'
import { RequestsSection } from './requests-section.ts'
import { SettingsSection } from './settings-section.ts'

customElements.define('intents-section', IntentsSection)
customElements.define('requests-section', RequestsSection)
customElements.define('faults-section', FaultsSection)
customElements.define('settings-section', SettingsSection)
customElements.define('pi-inspector', Inspector)
