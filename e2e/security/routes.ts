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

interface Route {
  readonly method: string
  readonly path: string
  readonly audience: string
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

/** Requests to the merchant API, and to each route of the service's table with and without credentials. */
export async function serviceRoutes(
  { api }: Pick<CrossSiteStack, 'api'>,
  { intent, hostedAsset }: Pick<Known, 'intent' | 'hostedAsset'>,
): Promise<readonly Probe[]> {
  const probe = probesOf(api.baseUrl)
  const key = { authorization: `Bearer ${api.apiKey}` }
  const credentials: Readonly<Record<string, Record<string, string>>> = {
    checkout: { origin: api.baseUrl },
    sandbox: { authorization: `Bearer ${api.adminToken}` },
  }
  const paths: Readonly<Record<string, string>> = {
    '/checkout/:id': `/checkout/${intent}`,
    '/checkout-assets/*': hostedAsset,
    '/pi-checkout-:file': '/pi-checkout-0.0.0.js',
    '/_sandbox/playground/*': '/_sandbox/playground/',
    '/_sandbox/intents/:id': `/_sandbox/intents/${intent}`,
  }
  const probesFor = ({ method, path: pattern, audience }: Route): readonly Probe[] => {
    const path = paths[pattern] ?? pattern.replace(':id', 'x').replace(':rule', '0')
    const route = `${method} ${pattern}`
    // No route accepts a list, except that of reports.
    const sent = /^P/.test(method) ? { path, headers: json, body: '[]' } : { path }
    const headers = { ...sent.headers, ...credentials[audience] }
    return [
      probe(route, { ...sent, headers }),
      ...(audience in credentials && !pattern.includes(':')
        ? [probe(route, { ...sent, note: 'without credentials' })]
        : []),
    ]
  }
  const create = { headers: { ...key, ...json } }
  const retrieve = 'GET /payment-intents/:id'
  const path = `/payment-intents/${intent}`
  return [
    probe('POST /payment-intents', {
      ...create,
      body: '{"orderId":"A-1","amount":100,"currency":"AMD"}',
    }),
    probe('POST /payment-intents', { ...create, note: 'wrong', body: '{}' }),
    probe('DELETE /payment-intents', { headers: key }),
    ...['/payment-intents', '/checkout-api/session'].map((path) =>
      probe(`OPTIONS ${path}`, { headers: { origin: 'https://evil.example' } }),
    ),
    probe(retrieve, { path, headers: key }),
    probe(retrieve, { path: `/payment-intents/${unknownIntent}`, headers: key, note: 'unknown' }),
    probe(retrieve, { path, note: 'without a key' }),
    probe(retrieve, {
      ...{ path, note: 'from a page' },
      headers: { ...key, origin: 'https://evil.example' },
    }),
    ...(await routeTable())
      .filter(({ audience }) => !/^(?:merchant|test-bank)$/.test(audience))
      .flatMap(probesFor),
    probe('GET /checkout/:id', { path: `/checkout/${unknownIntent}`, note: 'unknown' }),
    probe('GET /checkout/:id', {
      ...{ path: `/checkout/${intent}`, note: 'from an unregistered origin' },
      headers: { referer: 'https://unregistered.example/' },
    }),
    probe('GET /checkout-assets/*', { path: '/checkout-assets/x.js', note: 'missing' }),
    probe('POST /checkout-api/reports', { headers: reports, body: '[]', note: 'of a violation' }),
    probe('GET /nowhere'),
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
  const handoff = JSON.stringify({ orderId: order })
  const status = `/checkout/status?orderId=${order}`
  const posts: readonly (readonly [path: string, note: string, headers: object, body: string])[] = [
    ['/checkout/handoff', '', own, handoff],
    ['/checkout/handoff', 'wrong', own, '{"x":1}'],
    ['/checkout/handoff', 'cross-origin', { ...own, origin: 'https://evil.example' }, handoff],
    ['/cart', '', form, 'product=thyme-tea&quantity=1'],
    ['/cart', 'wrong', form, 'x=1'],
    ['/cart', 'without a session', { ...form, cookie: '' }, 'product=thyme-tea&quantity=1'],
    ['/preferences', '', form, 'language=en'],
    ['/preferences', 'wrong', form, 'x=1'],
    ['/orders', 'wrong', form, 'x=1'],
    ['/orders', 'without an origin', { ...form, origin: '' }, ''],
    ['/orders', 'as text', { ...form, 'content-type': 'text/plain' }, ''],
    ['/orders/:id/settle', '', form, ''],
    ['/reports', '', reports, '[]'],
  ]
  return [
    ...[
      ...['/', '/cart', '/orders', '/orders/:id', '/pay/:id', '/confirming/:id'],
      ...['/nowhere', '/checkout/nowhere', '/favicon.ico'],
    ].map((path) => probe(`GET ${path}`, { headers: session })),
    probe('GET /', { note: 'without a session' }),
    probe('GET /orders/:id', { note: 'of another buyer' }),
    probe('GET /assets/*', { path: asset }),
    probe('GET /pictures/*', { path: '/pictures/x.svg', note: 'missing' }),
    probe('GET /checkout/status', { path: status, headers: session }),
    probe('GET /checkout/status', { path: status, note: 'without a session' }),
    ...posts.map(([path, note, headers, body]) =>
      probe(`POST ${path}`, { note, headers: { ...headers }, body }),
    ),
  ]
}

async function routeTable(): Promise<readonly Route[]> {
  const table = pathToFileURL(join(root, 'packages/service/dist/service/shared/routes.js')).href
  const { routes } = (await import(table)) as { readonly routes: Readonly<Record<string, Route>> }
  return Object.values(routes)
}

/** The service's table of routes, and the paths that the shop's sources name: each needs a probe. */
export async function declaredRoutes(): Promise<readonly string[]> {
  const service = (await routeTable()).map(({ method, path }) => `${method} ${path}`)
  const call = /\.(get|post)\(\s*'(\/[^']*)'/g
  const shop = readdirSync(join(root, 'demo/server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(root, 'demo/server', name), 'utf8').matchAll(call)])
    .map(([, method = '', path = '']) => `${method.toUpperCase()} ${path}`)
  return [...service, ...shop]
}
