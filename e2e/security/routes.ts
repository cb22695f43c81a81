/** Every route of service and test bank as requests: accepted ones and rejected ones. @module */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '@pi-checkout/test-support/process'
import type { CrossSiteStack } from '../fixtures/cross-site-stack.ts'

const { version } = JSON.parse(readFileSync(join(root, 'packages/service/package.json'), 'utf8'))

/** A name, `METHOD /pattern` and a note, and its request. */
export type Probe = readonly [name: string, url: string, init: RequestInit]

/** What the requests name. */
interface Known {
  readonly intent: string
  /** The path of a built script. */
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
  { intent, hostedAsset }: Known,
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
    '/pi-checkout-:file': `/pi-checkout-${version}.js`,
    '/_sandbox/intents/:id': `/_sandbox/intents/${intent}`,
  }
  const probesFor = ({ method, path: pattern, audience }: Route): readonly Probe[] => {
    const path = paths[pattern] ?? pattern.replace(':id', 'x').replace(':rule', '0')
    const route = `${method} ${pattern}`
    // No route accepts a list.
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
      path,
      note: 'from a page',
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

async function routeTable(): Promise<readonly Route[]> {
  const table = pathToFileURL(join(root, 'packages/service/dist/service/shared/routes.js')).href
  const { routes } = (await import(table)) as { readonly routes: Readonly<Record<string, Route>> }
  return Object.values(routes)
}
