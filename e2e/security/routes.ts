/** Every route of service, test bank, and shop as requests: accepted ones and rejected ones. @module */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import { root } from '@pi-checkout/test-support/process'
import type { CrossSiteStack } from '../fixtures/cross-site-stack.ts'

/** A name, `METHOD /pattern` and a note, and its request. */
export type Probe = readonly [name: string, url: string, init: RequestInit]

/** What the requests name. */
export interface Known {
  readonly buyer: HttpBuyer
  readonly intent: string
  /** Paths of a built script of the shop and of the service. */
  readonly asset: string
  readonly hostedAsset: string
}

interface ProbeOptions {
  /** Follows the pattern in the name. */
  readonly note?: string
  /** @default The pattern */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const json = { 'content-type': 'application/json' }
const reports = { 'content-type': 'application/reports+json' }
const unknownIntent = `pi_${'0'.repeat(24)}`

function probesOf(origin: string) {
  return (route: string, { note, path, headers = {}, body }: ProbeOptions = {}): Probe => {
    const [method = '', pattern = ''] = route.split(' ')
    return [
      note ? `${route} ${note}` : route,
      origin + (path ?? pattern),
      { method, headers, redirect: 'manual', ...(body !== undefined && { body }) },
    ]
  }
}

export function serviceRoutes(
  { api }: Pick<CrossSiteStack, 'api'>,
  { intent, hostedAsset }: Pick<Known, 'intent' | 'hostedAsset'>,
): readonly Probe[] {
  const probe = probesOf(api.baseUrl)
  const key = { authorization: `Bearer ${api.apiKey}` }
  const admin = { headers: { authorization: `Bearer ${api.adminToken}`, ...json } }
  const wrong = { note: 'wrong', body: '{}' }
  const create = { headers: { ...key, ...json } }
  const retrieve = 'GET /payment-intents/:id'
  const path = `/payment-intents/${intent}`
  const inEnvironment = (route: string, note: string, body?: string): Probe =>
    probe(route.replace(' /', ' /_sandbox/environments/:id/'), {
      ...{ ...admin, note, path: `/_sandbox/environments/x/${route.split(' /')[1]}` },
      ...(body !== undefined && { body }),
    })
  return [
    probe('POST /payment-intents', {
      ...create,
      body: '{"orderId":"A-1","amount":100,"currency":"AMD"}',
    }),
    probe('POST /payment-intents', { ...create, ...wrong }),
    probe('DELETE /payment-intents', { headers: key }),
    probe(retrieve, { path, headers: key }),
    probe(retrieve, { path: `/payment-intents/${unknownIntent}`, headers: key, note: 'unknown' }),
    probe(retrieve, { path, note: 'without a key' }),
    probe(retrieve, {
      ...{ path, note: 'from a page' },
      headers: { ...key, origin: 'https://evil.example' },
    }),
    probe('GET /checkout/:id', { path: `/checkout/${intent}` }),
    probe('GET /checkout/:id', { path: `/checkout/${unknownIntent}`, note: 'unknown' }),
    probe('GET /checkout/:id', {
      ...{ path: `/checkout/${intent}`, note: 'from an unregistered origin' },
      headers: { referer: 'https://unregistered.example/' },
    }),
    probe('GET /checkout-assets/*', { path: hostedAsset }),
    probe('GET /checkout-assets/*', { path: '/checkout-assets/x.js', note: 'missing' }),
    ...['session', 'confirm', 'challenge/open', 'challenge/cancel', 'cancel', 'reports'].flatMap(
      (name) => [
        probe(`POST /checkout-api/${name}`, { headers: json, body: '{}', note: 'cross-origin' }),
        probe(`POST /checkout-api/${name}`, {
          headers: { origin: api.baseUrl, ...json },
          ...wrong,
        }),
      ],
    ),
    probe('POST /checkout-api/reports', { headers: reports, body: '[]' }),
    probe('GET /checkout-api/intent', { note: 'without a session' }),
    probe('GET /pi-checkout-:file', { path: '/pi-checkout-0.0.0.js' }),
    ...[
      ...['/v1/pi-checkout.js', '/v1/preload', '/healthz', '/readyz', '/openapi.json'],
      ...['/docs', '/docs.css', '/llms.txt', '/favicon.ico', '/nowhere', '/metrics'],
      ...['/_sandbox', '/_sandbox/', '/_sandbox/playground', '/_sandbox/playground/'],
    ].map((name) => probe(`GET ${name}`)),
    ...['environments', 'export', 'events'].flatMap((name) => [
      probe(`GET /_sandbox/${name}`, admin),
      probe(`GET /_sandbox/${name}`, { note: 'without a token' }),
    ]),
    ...['intents', 'requests', 'idempotency', 'lint', 'faults'].map((list) =>
      inEnvironment(`GET /${list}`, 'unknown'),
    ),
    probe('POST /_sandbox/environments', { ...admin, note: 'wrong', body: '{"origins":7}' }),
    probe('DELETE /_sandbox/environments/:id', {
      ...{ ...admin, path: '/_sandbox/environments/x', note: 'unknown' },
    }),
    inEnvironment('PUT /clock', 'unknown', '{"offset":0}'),
    inEnvironment('DELETE /clock', 'unknown'),
    ...['origins', 'requests', 'lint'].map((list) => inEnvironment(`DELETE /${list}`, 'unknown')),
    inEnvironment('POST /origins', 'wrong', '{}'),
    inEnvironment('POST /faults', 'unknown', '{}'),
    inEnvironment('DELETE /faults', 'unknown'),
    probe('DELETE /_sandbox/environments/:id/faults/:rule', {
      ...{ ...admin, path: '/_sandbox/environments/x/faults/0', note: 'unknown' },
    }),
    probe('GET /_sandbox/intents/:id', { ...admin, path: `/_sandbox/intents/${intent}` }),
    probe('POST /_sandbox/intents/:id/settle', {
      ...{ ...admin, ...wrong, path: `/_sandbox/intents/${unknownIntent}/settle` },
    }),
    probe('POST /_sandbox/intents/:id/revoke-secret', {
      ...{ ...admin, path: `/_sandbox/intents/${unknownIntent}/revoke-secret`, note: 'unknown' },
    }),
    probe('POST /_sandbox/import', { ...admin, ...wrong }),
    probe('POST /_sandbox/reset', { ...admin, note: 'wrong', body: '{"environment":7}' }),
  ]
}

export function challengeRoutes({
  challengeOrigin,
}: Pick<CrossSiteStack, 'challengeOrigin'>): readonly Probe[] {
  const probe = probesOf(`http://127.0.0.1:${new URL(challengeOrigin).port}`)
  return ['/challenge', '/bank'].flatMap((path) => [
    probe(`POST ${path}`),
    probe(`POST ${path}/answer`),
    probe(`POST ${path}/answer`, { note: 'by script', headers: { accept: 'application/json' } }),
    probe(`GET ${path}`, { note: 'at the bank' }),
  ])
}

export function shopRoutes(stack: CrossSiteStack, { buyer, asset }: Known): readonly Probe[] {
  const probeShop = probesOf(stack.nodeShop)
  const order = buyer.order
  const probe = (route: string, options: ProbeOptions = {}): Probe => {
    const [, pattern = ''] = route.split(' ')
    const path = pattern.replace(':id', order)
    return probeShop(route, { path, ...options })
  }
  const session = { cookie: buyer.cookies }
  const own = { ...session, ...json, origin: stack.shopUrl }
  const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' }
  const wrong = { headers: own, body: '{"x":1}' }
  const status = `/checkout/status?orderId=${order}`
  return [
    ...['/', '/cart', '/orders', '/orders/:id', '/pay/:id', '/confirming/:id'],
    ...['/nowhere', '/checkout/nowhere', '/favicon.ico'],
  ]
    .map((path) => probe(`GET ${path}`, { headers: session }))
    .concat([
      probe('GET /', { note: 'without a session' }),
      probe('GET /orders/:id', { note: 'of another buyer' }),
      probe('GET /assets/*', { path: asset }),
      probe('GET /pictures/*', { path: '/pictures/x.svg', note: 'missing' }),
      probe('GET /checkout/status', { path: status, headers: session }),
      probe('GET /checkout/status', { path: status, note: 'without a session' }),
      probe('POST /checkout/handoff', { headers: own, body: JSON.stringify({ orderId: order }) }),
      probe('POST /checkout/handoff', { ...wrong, note: 'wrong' }),
      probe('POST /checkout/handoff', {
        ...{ ...wrong, note: 'cross-origin' },
        headers: { ...own, origin: 'https://evil.example' },
      }),
      probe('POST /cart', { headers: form, body: 'product=thyme-tea&quantity=1' }),
      probe('POST /cart', { headers: form, body: 'x=1', note: 'wrong' }),
      probe('POST /cart', {
        ...{ headers: { ...form, cookie: '' }, body: 'product=thyme-tea&quantity=1' },
        note: 'without a session',
      }),
      probe('POST /preferences', { headers: form, body: 'language=en' }),
      probe('POST /preferences', { headers: form, body: 'x=1', note: 'wrong' }),
      probe('POST /orders', { headers: form, body: 'x=1', note: 'wrong' }),
      probe('POST /orders', {
        ...{ headers: { ...form, origin: '' }, body: '' },
        note: 'without an origin',
      }),
      probe('POST /orders', {
        ...{ headers: { ...form, 'content-type': 'text/plain' }, body: '' },
        note: 'as text',
      }),
      probe('POST /orders/:id/settle', { headers: form, body: '' }),
      probe('POST /reports', { headers: reports, body: '[]' }),
    ])
}

/** The service's table of routes, and the paths that the shop's sources name: each needs a probe. */
export async function declaredRoutes(): Promise<readonly string[]> {
  const table = pathToFileURL(join(root, 'packages/service/dist/service/shared/routes.js')).href
  const { routes } = (await import(table)) as {
    readonly routes: Readonly<Record<string, { readonly method: string; readonly path: string }>>
  }
  const service = Object.values(routes).map(({ method, path }) => `${method} ${path}`)
  const call = /\.(get|post|put|delete|patch|route)\(\s*'(\/[^']*)'/g
  const shop = readdirSync(join(root, 'demo/server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(root, 'demo/server', name), 'utf8').matchAll(call)])
    .map(
      ([, method = '', path = '']) => `${method === 'route' ? '' : method.toUpperCase()} ${path}`,
    )
  return [...service, ...shop]
}
