/**
 * Every route of service, challenge page and shop, as requests: what a visitor gets, and who is refused.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostileWorld } from '../fixtures/hostile-world.ts'
import type { HttpBuyer } from '../fixtures/http-buyer.ts'
import { root } from '../fixtures/program.ts'

/** Its name, `METHOD /pattern` and a note, with the request. */
export type Tried = readonly [name: string, url: string, init?: RequestInit]

/** What the requests are made for. */
export interface Known {
  readonly buyer: HttpBuyer
  readonly intent: string
  /** Paths of a built script and a picture. */
  readonly asset: string
  readonly hostedAsset: string
}

const json = { 'content-type': 'application/json' }
const nobody = `pi_${'0'.repeat(24)}`

export function serviceRoutes(
  { api }: Pick<HostileWorld, 'api'>,
  { intent, hostedAsset }: Pick<Known, 'intent' | 'hostedAsset'>,
): readonly Tried[] {
  const at = api.baseUrl
  const key = { authorization: `Bearer ${api.apiKey}` }
  const admin = { authorization: `Bearer ${api.adminToken}`, ...json }
  const own = { origin: at, ...json }
  const wrong = JSON.stringify({})
  const get = (path: string, headers = {}, note = ''): Tried => [
    `GET ${path}${note}`,
    at + path,
    { headers },
  ]
  return [
    [
      'POST /payment-intents',
      `${at}/payment-intents`,
      {
        method: 'POST',
        headers: { ...key, ...json },
        body: '{"orderId":"A-1","amount":100,"currency":"AMD"}',
      },
    ],
    [
      'POST /payment-intents wrong',
      `${at}/payment-intents`,
      { method: 'POST', headers: { ...key, ...json }, body: wrong },
    ],
    ['DELETE /payment-intents', `${at}/payment-intents`, { method: 'DELETE', headers: key }],
    ['GET /payment-intents/:id', `${at}/payment-intents/${intent}`, { headers: key }],
    ['GET /payment-intents/:id unknown', `${at}/payment-intents/${nobody}`, { headers: key }],
    ['GET /payment-intents/:id without a key', `${at}/payment-intents/${intent}`],
    [
      'GET /payment-intents/:id from a page',
      `${at}/payment-intents/${intent}`,
      { headers: { ...key, origin: 'https://evil.example' } },
    ],
    ['GET /checkout/:id', `${at}/checkout/${intent}`],
    ['GET /checkout/:id unknown', `${at}/checkout/${nobody}`],
    [
      'GET /checkout/:id for a stranger',
      `${at}/checkout/${intent}`,
      { headers: { referer: 'https://stranger.example/' } },
    ],
    ['GET /checkout-assets/*', at + hostedAsset],
    ['GET /checkout-assets/* missing', `${at}/checkout-assets/x.js`],
    ['GET /pi-checkout.js', `${at}/pi-checkout.js`],
    ...['session', 'confirm', 'challenge/open', 'challenge/cancel', 'cancel', 'reports'].flatMap(
      (path): Tried[] => [
        [
          `POST /checkout-api/${path} from elsewhere`,
          `${at}/checkout-api/${path}`,
          { method: 'POST', headers: json, body: wrong },
        ],
        [
          `POST /checkout-api/${path} wrong`,
          `${at}/checkout-api/${path}`,
          { method: 'POST', headers: own, body: wrong },
        ],
      ],
    ),
    [
      'POST /checkout-api/reports',
      `${at}/checkout-api/reports`,
      { method: 'POST', headers: { 'content-type': 'application/reports+json' }, body: '[]' },
    ],
    get('/checkout-api/intent', {}, ' without a session'),
    ...[
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/docs',
      '/docs.css',
      '/favicon.ico',
      '/nowhere',
      '/metrics',
    ].map((path) => get(path)),
    get('/_sandbox/'),
    get('/_sandbox/playground'),
    get('/_sandbox/playground/'),
    ...['/environments', '/export', '/events'].flatMap((path) => [
      get(`/_sandbox${path}`, admin),
      get(`/_sandbox${path}`, {}, ' without a token'),
    ]),
    ...['intents', 'requests', 'idempotency', 'lint', 'faults'].map(
      (list): Tried => [
        `GET /_sandbox/environments/:id/${list} unknown`,
        `${at}/_sandbox/environments/x/${list}`,
        { headers: admin },
      ],
    ),
    ['GET /_sandbox/intents/:id', `${at}/_sandbox/intents/${intent}`, { headers: admin }],
    [
      'PUT /_sandbox/environments/:id/clock unknown',
      `${at}/_sandbox/environments/x/clock`,
      { method: 'PUT', headers: admin, body: '{"offset":0}' },
    ],
    [
      'DELETE /_sandbox/environments/:id/clock unknown',
      `${at}/_sandbox/environments/x/clock`,
      { method: 'DELETE', headers: admin },
    ],
    [
      'POST /_sandbox/environments/:id/origins wrong',
      `${at}/_sandbox/environments/x/origins`,
      { method: 'POST', headers: admin, body: wrong },
    ],
    [
      'POST /_sandbox/intents/:id/settle wrong',
      `${at}/_sandbox/intents/${nobody}/settle`,
      { method: 'POST', headers: admin, body: wrong },
    ],
    [
      'POST /_sandbox/intents/:id/revoke-secret unknown',
      `${at}/_sandbox/intents/${nobody}/revoke-secret`,
      { method: 'POST', headers: admin },
    ],
    [
      'POST /_sandbox/environments/:id/faults unknown',
      `${at}/_sandbox/environments/x/faults`,
      { method: 'POST', headers: admin, body: wrong },
    ],
    [
      'DELETE /_sandbox/environments/:id/faults unknown',
      `${at}/_sandbox/environments/x/faults`,
      { method: 'DELETE', headers: admin },
    ],
    [
      'DELETE /_sandbox/environments/:id/faults/:rule unknown',
      `${at}/_sandbox/environments/x/faults/0`,
      { method: 'DELETE', headers: admin },
    ],
    [
      'POST /_sandbox/import wrong',
      `${at}/_sandbox/import`,
      { method: 'POST', headers: admin, body: wrong },
    ],
    [
      'POST /_sandbox/reset wrong',
      `${at}/_sandbox/reset`,
      { method: 'POST', headers: admin, body: '{"environment":7}' },
    ],
  ]
}

export function challengeRoutes({
  challengeOrigin,
}: Pick<HostileWorld, 'challengeOrigin'>): readonly Tried[] {
  const at = `http://127.0.0.1:${new URL(challengeOrigin).port}`
  return ['/challenge', '/bank'].flatMap((path): Tried[] => [
    [`POST ${path}`, at + path, { method: 'POST' }],
    [`POST ${path}/answer`, `${at}${path}/answer`, { method: 'POST' }],
    [
      `POST ${path}/answer by script`,
      `${at}${path}/answer`,
      { method: 'POST', headers: { accept: 'application/json' } },
    ],
    [`GET ${path} at the bank`, at + path],
  ])
}

export function shopRoutes(world: HostileWorld, { buyer, asset }: Known): readonly Tried[] {
  const at = world.nodeShop
  const cookie = { cookie: buyer.cookies }
  const own = { ...cookie, ...json, origin: world.shopUrl }
  const token = new URL(world.shop.ready.adminUrl).hash.slice(1)
  const office = { ...own, authorization: `Bearer ${token}` }
  const order = buyer.order
  const wrong = '{"x":1}'
  const page = (path: string): Tried => [
    `GET ${path}`,
    at + path.replace(':id', order),
    { headers: cookie, redirect: 'manual' },
  ]
  const send = (
    method: string,
    path: string,
    { headers = own as object, body = wrong, note = '' } = {},
  ): Tried => [
    `${method} ${path}${note}`,
    at + path.replace(':id', order).replace(':product', 'x'),
    { method, headers: { ...headers }, body },
  ]
  return [
    ...[
      '/',
      '/cart',
      '/orders',
      '/orders/:id',
      '/pay/:id',
      '/confirming/:id',
      '/admin',
      '/nowhere',
    ].map(page),
    ['GET / for somebody new', `${at}/`],
    ['GET /orders/:id of another', `${at}/orders/${order}`],
    ['GET /assets/*', at + asset],
    ['GET /pictures/* missing', `${at}/pictures/x.svg`],
    ['GET /checkout-origin.js', `${at}/checkout-origin.js`],
    ...[
      '/api/catalogue',
      '/api/cart',
      '/api/orders',
      '/api/orders/:id',
      '/api/nowhere',
      '/api/trace/:id',
      '/checkout/nowhere',
    ].map(page),
    ['GET /api/cart without a session', `${at}/api/cart`],
    ['GET /checkout/status', `${at}/checkout/status?orderId=${order}`, { headers: cookie }],
    ['GET /checkout/status without a session', `${at}/checkout/status?orderId=${order}`],
    send('POST', '/checkout/handoff', { body: JSON.stringify({ orderId: order }) }),
    send('POST', '/checkout/handoff', { note: ' wrong' }),
    send('POST', '/checkout/handoff', {
      headers: { ...cookie, ...json, origin: 'https://evil.example' },
      note: ' from elsewhere',
    }),
    send('PUT', '/api/cart/:product', { note: ' wrong' }),
    send('PUT', '/api/preferences', { note: ' wrong' }),
    send('PUT', '/api/preferences', { body: '{}' }),
    send('POST', '/api/orders', { note: ' wrong' }),
    send('POST', '/api/orders', { headers: { ...cookie, ...json }, note: ' without an origin' }),
    send('POST', '/api/orders', {
      headers: { ...own, 'content-type': 'text/plain' },
      note: ' as text',
    }),
    send('POST', '/api/orders/:id/settle', { body: '{}' }),
    send('POST', '/api/trace/:id/lose-next-answer', {
      headers: { ...json, origin: world.shopUrl },
      note: ' of another',
    }),
    send('POST', '/admin/reconcile', { note: ' without a token' }),
    send('POST', '/admin/reconcile', { headers: office }),
    ['GET /admin/data', `${at}/admin/data`, { headers: office }],
    ['GET /admin/data without a token', `${at}/admin/data`, { headers: cookie }],
    send('POST', '/reports', {
      headers: { 'content-type': 'application/reports+json' },
      body: '[]',
    }),
  ]
}

/** The paths that the sources name, with their methods: a new one is to be tried too. */
export function declaredRoutes(): readonly string[] {
  const call = /\.(get|post|put|delete|patch|route)\(\s*'(\/[^']*)'/g
  return ['packages/service/src', 'demo/server'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...readFileSync(join(root, folder, name), 'utf8').matchAll(call)])
      .map(
        ([, method = '', path = '']) => `${method === 'route' ? '' : method.toUpperCase()} ${path}`,
      ),
  )
}
