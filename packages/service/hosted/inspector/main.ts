/** Entry of the inspector. The page is defined last, because it removes the admin token from the address. @module */
import { EnvironmentView } from './environment-view.ts'
import { FaultsView } from './faults-view.ts'
import { Inspector } from './inspector.ts'
import { IntentDetail } from './intent-detail.ts'
import { IntentsView } from './intents-view.ts'
import { RequestDetail } from './request-detail.ts'
import { RequestsView } from './requests-view.ts'

customElements.define('intent-detail', IntentDetail)
customElements.define('intents-view', IntentsView)
customElements.define('request-detail', RequestDetail)
customElements.define('requests-view', RequestsView)
customElements.define('faults-view', FaultsView)
customElements.define('environment-view', EnvironmentView)
customElements.define('pi-inspector', Inspector)
