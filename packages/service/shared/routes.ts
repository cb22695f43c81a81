/** Table of all routes. The router, the log, the metrics, and the security tests read it. @module */
import { routes as merchantApi } from '@pi-checkout/contract/routes'

/** Client that a route is for. It selects the checks before the handler. */
export type Audience =
  /** A merchant's server with an API key. */
  | 'merchant'
  /** A buyer's browser, for the hosted page and its assets. */
  | 'buyer'
  /** The hosted page, for its private API. */
  | 'checkout'
  /** A buyer's browser, for the test bank. */
  | 'test-bank'
  /** Browsers, for the documentation and the element. */
  | 'public'
  /** Supervisors and load balancers, with any `Host`. */
  | 'operator'
  /** A developer's browser, for the inspector. */
  | 'inspector'
  /** A client of the sandbox API, with the admin token. */
  | 'sandbox'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path in which `:id` matches one segment, and `*` at the end matches the rest. */
  readonly path: string
  readonly audience: Audience
}

const environment = '/_sandbox/environments/:id'
const intent = '/_sandbox/intents/:id'

/** Routes by name. A path with several methods has one entry for each. */
export const routes = {
  create: { ...merchantApi.create, audience: 'merchant' },
  retrieve: { ...merchantApi.retrieve, audience: 'merchant' },

  page: { method: 'GET', path: '/checkout/:id', audience: 'buyer' },
  openFullPage: { method: 'POST', path: '/checkout/:id', audience: 'buyer' },
  fullPage: { method: 'GET', path: '/checkout/:id/page', audience: 'buyer' },
  fullPageSession: { method: 'POST', path: '/checkout/:id/session', audience: 'checkout' },
  openSession: { method: 'POST', path: '/checkout-api/session', audience: 'checkout' },
  view: { method: 'GET', path: '/checkout-api/intent', audience: 'checkout' },
  confirm: { method: 'POST', path: '/checkout-api/confirm', audience: 'checkout' },
  openChallenge: { method: 'POST', path: '/checkout-api/challenge/open', audience: 'checkout' },
  cancelChallenge: { method: 'POST', path: '/checkout-api/challenge/cancel', audience: 'checkout' },
  cancel: { method: 'POST', path: '/checkout-api/cancel', audience: 'checkout' },
  assets: { method: 'GET', path: '/checkout-assets/*', audience: 'buyer' },

  challenge: { method: 'POST', path: '/challenge', audience: 'test-bank' },
  challengeAnswer: { method: 'POST', path: '/challenge/answer', audience: 'test-bank' },
  bank: { method: 'POST', path: '/bank', audience: 'test-bank' },
  bankAnswer: { method: 'POST', path: '/bank/answer', audience: 'test-bank' },

  element: { method: 'GET', path: '/v1/pi-checkout.js', audience: 'public' },
  /** The file of one version, such as `0.1.0.js`. */
  pinnedElement: { method: 'GET', path: '/pi-checkout-:file', audience: 'public' },
  /** For a hidden iframe of a shop's page. */
  preload: { method: 'GET', path: '/v1/preload', audience: 'public' },
  openapi: { method: 'GET', path: '/openapi.json', audience: 'public' },
  home: { method: 'GET', path: '/', audience: 'public' },
  docs: { method: 'GET', path: '/docs', audience: 'public' },

  favicon: { method: 'GET', path: '/favicon.ico', audience: 'operator' },
  health: { method: 'GET', path: '/healthz', audience: 'operator' },
  ready: { method: 'GET', path: '/readyz', audience: 'operator' },
  metrics: { method: 'GET', path: '/metrics', audience: 'operator' },

  inspectorFolder: { method: 'GET', path: '/_sandbox', audience: 'inspector' },
  inspector: { method: 'GET', path: '/_sandbox/', audience: 'inspector' },

  reset: { method: 'POST', path: '/_sandbox/reset', audience: 'sandbox' },
  environments: { method: 'GET', path: '/_sandbox/environments', audience: 'sandbox' },
  createEnvironment: { method: 'POST', path: '/_sandbox/environments', audience: 'sandbox' },
  deleteEnvironment: { method: 'DELETE', path: environment, audience: 'sandbox' },
  setClock: { method: 'PUT', path: `${environment}/clock`, audience: 'sandbox' },
  resetClock: { method: 'DELETE', path: `${environment}/clock`, audience: 'sandbox' },
  addOrigin: { method: 'POST', path: `${environment}/origins`, audience: 'sandbox' },
  removeOrigin: { method: 'DELETE', path: `${environment}/origins`, audience: 'sandbox' },
  createKey: { method: 'POST', path: `${environment}/keys`, audience: 'sandbox' },
  revokeKey: { method: 'DELETE', path: `${environment}/keys/:key`, audience: 'sandbox' },
  intents: { method: 'GET', path: `${environment}/intents`, audience: 'sandbox' },
  requests: { method: 'GET', path: `${environment}/requests`, audience: 'sandbox' },
  sendRequest: { method: 'POST', path: `${environment}/requests`, audience: 'sandbox' },
  exchange: { method: 'GET', path: `${environment}/requests/:request`, audience: 'sandbox' },
  clearRequests: { method: 'DELETE', path: `${environment}/requests`, audience: 'sandbox' },
  keyUses: { method: 'GET', path: `${environment}/idempotency`, audience: 'sandbox' },
  lint: { method: 'GET', path: `${environment}/lint`, audience: 'sandbox' },
  clearLint: { method: 'DELETE', path: `${environment}/lint`, audience: 'sandbox' },
  faults: { method: 'GET', path: `${environment}/faults`, audience: 'sandbox' },
  addFault: { method: 'POST', path: `${environment}/faults`, audience: 'sandbox' },
  clearFaults: { method: 'DELETE', path: `${environment}/faults`, audience: 'sandbox' },
  removeFault: { method: 'DELETE', path: `${environment}/faults/:rule`, audience: 'sandbox' },
  intent: { method: 'GET', path: intent, audience: 'sandbox' },
  revokeSecret: { method: 'POST', path: `${intent}/revoke-secret`, audience: 'sandbox' },
  settle: { method: 'POST', path: `${intent}/settle`, audience: 'sandbox' },
  testCheckout: { method: 'POST', path: `${intent}/checkout`, audience: 'sandbox' },
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof routes
