/** Table of all routes. @module */
import { routes as merchantApi } from '@pi-checkout/contract/routes'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path in which `:id` matches one segment, and `*` at the end matches the rest. */
  readonly path: string
}

const environment = '/_sandbox/environments/:id'
const intent = '/_sandbox/intents/:id'

/** Routes by name. A path with several methods has one entry for each. */
export const routes = {
  create: merchantApi.create,
  retrieve: merchantApi.retrieve,

  page: { method: 'GET', path: '/checkout/:id' },
  openFullPage: { method: 'POST', path: '/checkout/:id' },
  fullPage: { method: 'GET', path: '/checkout/:id/page' },
  fullPageSession: { method: 'POST', path: '/checkout/:id/session' },
  openSession: { method: 'POST', path: '/checkout-api/session' },
  view: { method: 'GET', path: '/checkout-api/intent' },
  confirm: { method: 'POST', path: '/checkout-api/confirm' },
  openChallenge: { method: 'POST', path: '/checkout-api/challenge/open' },
  cancelChallenge: { method: 'POST', path: '/checkout-api/challenge/cancel' },
  cancel: { method: 'POST', path: '/checkout-api/cancel' },
  assets: { method: 'GET', path: '/checkout-assets/*' },

  challenge: { method: 'POST', path: '/challenge' },
  challengeAnswer: { method: 'POST', path: '/challenge/answer' },
  bank: { method: 'POST', path: '/bank' },
  bankAnswer: { method: 'POST', path: '/bank/answer' },

  element: { method: 'GET', path: '/v1/pi-checkout.js' },
  /** The file of one version, such as `0.1.0.js`. */
  pinnedElement: { method: 'GET', path: '/pi-checkout-:file' },
  openapi: { method: 'GET', path: '/openapi.json' },
  home: { method: 'GET', path: '/' },
  docs: { method: 'GET', path: '/docs' },

  favicon: { method: 'GET', path: '/favicon.ico' },
  health: { method: 'GET', path: '/healthz' },
  ready: { method: 'GET', path: '/readyz' },

  inspectorFolder: { method: 'GET', path: '/_sandbox' },
  inspector: { method: 'GET', path: '/_sandbox/' },

  environments: { method: 'GET', path: '/_sandbox/environments' },
  createEnvironment: { method: 'POST', path: '/_sandbox/environments' },
  deleteEnvironment: { method: 'DELETE', path: environment },
  setClock: { method: 'PUT', path: `${environment}/clock` },
  reset: { method: 'POST', path: `${environment}/reset` },
  addOrigin: { method: 'POST', path: `${environment}/origins` },
  removeOrigin: { method: 'DELETE', path: `${environment}/origins` },
  createKey: { method: 'POST', path: `${environment}/keys` },
  intents: { method: 'GET', path: `${environment}/intents` },
  requests: { method: 'GET', path: `${environment}/requests` },
  exchange: { method: 'GET', path: `${environment}/requests/:request` },
  lint: { method: 'GET', path: `${environment}/lint` },
  faults: { method: 'GET', path: `${environment}/faults` },
  addFault: { method: 'POST', path: `${environment}/faults` },
  clearFaults: { method: 'DELETE', path: `${environment}/faults` },
  removeFault: { method: 'DELETE', path: `${environment}/faults/:rule` },
  intent: { method: 'GET', path: intent },
  settle: { method: 'POST', path: `${intent}/settle` },
} as const satisfies Readonly<Record<string, Route>>
