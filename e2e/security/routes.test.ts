import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HttpBuyer, originsOf } from '@pi-checkout/test-support/http-buyer'
import { root } from '@pi-checkout/test-support/process'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'
import {
  challengeRoutes,
  declaredRoutes,
  type Known,
  type Probe,
  serviceRoutes,
  shopRoutes,
} from './routes.ts'

const snapshot = join(root, 'e2e/security/headers.txt')

test('every route of service, test bank, and shop sends its protecting headers (threats 40, 51, 56, 58)', async ({
  stack,
}) => {
  const known = await prepare(stack)
  const sites = {
    service: await serviceRoutes(stack, known),
    'test bank': challengeRoutes(stack),
    shop: shopRoutes(stack, known),
  }
  let seen = ''
  for (const [site, probes] of Object.entries(sites)) seen += await describe(site, probes, stack)
  // UPDATE_HEADERS=1 writes the file again, for a manual review.
  if (process.env.UPDATE_HEADERS) writeFileSync(snapshot, seen)
  expect(seen).toBe(readFileSync(snapshot, 'utf8'))

  const names = Object.values(sites).flatMap((probes) => probes.map(([name]) => name))
  const missing = (await declaredRoutes()).filter((declared) => {
    const [method = '', path = ''] = declared.split(' ')
    return !names.some((name) => {
      const [own = '', pattern = ''] = name.split(' ')
      const end = path === '/' ? '' : path.replace('{*rest}', 'nowhere')
      const isProbed = pattern.endsWith(end) || pattern.endsWith(end.replace('*', ''))
      return own.startsWith(method) && isProbed
    })
  })
  expect(missing).toEqual([])
})

test('the security guide lists the headers of the shop (threat 51)', () => {
  const guide = readFileSync(join(root, '.github/SECURITY.md'), 'utf8')
  const [, block = ''] = /<!-- headers -->\n\n```\n([\s\S]*?)\n```/.exec(guide) ?? []
  const listed = block.replace(/^[\w-]+/gm, (name) => name.toLowerCase()).split('\n')
  const [, shop = ''] = readFileSync(snapshot, 'utf8').split('# shop')
  expect(listed).toHaveLength(7)
  expect(shop.split('\n')).toEqual(expect.arrayContaining(listed))
})

/** Lists the headers of most responses, and then each group of other responses with its differences. */
async function describe(
  site: string,
  probes: readonly Probe[],
  stack: CrossSiteStack,
): Promise<string> {
  const groups = new Map<string, string[]>()
  for (const [name, url, init] of probes) {
    const response = await fetch(url, init)
    await response.body?.cancel()
    const headers = protectingHeaders(response, stack).join('\n')
    groups.set(headers, [...(groups.get(headers) ?? []), `${response.status} ${name}`])
  }
  const all = [...groups].map(([headers, routes]) => ({ headers: headers.split('\n'), routes }))
  const usual = [...new Set(all.flatMap(({ headers }) => headers))].filter(
    (line) => count(all.filter(({ headers }) => headers.includes(line))) > count(all) / 2,
  )
  const lines = [`# ${site}, unless listed below`, ...usual]
  for (const { headers, routes } of all) {
    const [names, expected] = [headers, usual].map((some) =>
      some.map((line) => line.split(': ')[0]),
    )
    const missing = expected?.filter((name) => !names?.includes(name)) ?? []
    const others = headers.filter((line) => !usual.includes(line))
    if (missing.length > 0) others.push(`without ${missing.join(', ')}`)
    if (others.length > 0) lines.push('', ...routes, ...others.map((line) => `  ${line}`))
  }
  return `${lines.join('\n')}\n\n`
}

function count(groups: readonly { readonly routes: readonly string[] }[]): number {
  return groups.flatMap(({ routes }) => routes).length
}

async function prepare(stack: CrossSiteStack): Promise<Known> {
  const buyer = new HttpBuyer(originsOf(stack))
  await buyer.placeOrder()
  const { id } = await buyer.handoff()
  const script = (folder: string): string =>
    readdirSync(join(root, folder)).find((name) => name.endsWith('.js')) ?? ''
  return {
    buyer,
    intent: id,
    asset: `/assets/${script('demo/dist/pages/assets')}`,
    hostedAsset: `/checkout-assets/${script('packages/service/dist/hosted/checkout-assets')}`,
  }
}

/** Different in each response, or without protection. */
const ignored = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'request-id', 'transfer-encoding'],
  ...['ratelimit', 'ratelimit-policy', 'last-modified', 'accept-ranges'],
]

function protectingHeaders(response: Response, stack: CrossSiteStack): string[] {
  return [...response.headers]
    .filter(([name]) => !ignored.includes(name))
    .map(([name, value]) => {
      const fixed = value
        .replaceAll(stack.checkoutOrigin, 'CHECKOUT')
        .replaceAll(stack.challengeOrigin, 'CHALLENGE')
        .replaceAll(stack.shopUrl, 'SHOP')
        // Other tests of this stack have registered more origins.
        .replaceAll(/ http:\/\/evil\.localhost:\d+/g, '')
        .replace(/^([\w-]+)=[^;]+/, name === 'set-cookie' ? '$1=VALUE' : '$&')
        .replace(/^\/payment-intents\/\w+$/, '/payment-intents/ID')
        .replace(/'sha256-[^']+'/, "'sha256-HASH'")
        .replace(/TS-\w{6}/, 'NUMBER')
        .replace(/Expires=[^;]+/, 'Expires=TIME')
        .replace(/^(W\/)?"[^"]+"$/, name === 'etag' ? '$1"TAG"' : '$&')
      return `${name}: ${fixed}`
    })
}
