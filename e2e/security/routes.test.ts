import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'
import { HttpBuyer } from '../fixtures/http-buyer.ts'
import { root } from '../fixtures/program.ts'
import {
  challengeRoutes,
  declaredRoutes,
  type Known,
  serviceRoutes,
  shopRoutes,
  type Tried,
} from './routes.ts'

const snapshot = join(root, 'e2e/security/headers.json')

test('every route of service, bank and shop has its own exact protecting headers, on success and on refusal (threats 40, 51, 56, 58)', async ({
  world,
}) => {
  const known = await makeKnown(world)
  const routes = {
    service: serviceRoutes(world, known),
    bank: challengeRoutes(world),
    shop: shopRoutes(world, known),
  }
  const seen: Record<string, readonly Group[]> = {}
  for (const [site, tried] of Object.entries(routes)) {
    const answers = new Map<string, string[]>()
    for (const [name, url, init] of tried) {
      const answer = await fetch(url, init)
      await answer.body?.cancel()
      const headers = JSON.stringify(protecting(answer, world))
      const line = `${answer.status} ${name}`
      answers.set(headers, [...(answers.get(headers) ?? []), line])
    }
    seen[site] = [...answers].map(([headers, lines]) => ({
      routes: lines,
      headers: JSON.parse(headers),
    }))
  }
  // UPDATE_HEADERS=1 writes them anew, for a person to read.
  if (process.env.UPDATE_HEADERS) writeFileSync(snapshot, `${JSON.stringify(seen, null, 2)}\n`)
  expect(existsSync(snapshot)).toBe(true)
  expect(seen).toEqual(JSON.parse(readFileSync(snapshot, 'utf8')))

  const names = Object.values(routes).flatMap((tried: readonly Tried[]) =>
    tried.map(([name]) => name),
  )
  const untried = declaredRoutes().filter((declared) => {
    const [method = '', path = ''] = declared.split(' ')
    return !names.some((name) => {
      const [own = '', pattern = ''] = name.split(' ')
      return (
        own.startsWith(method) &&
        pattern.endsWith(path === '/' ? '' : path.replace('{*rest}', 'nowhere'))
      )
    })
  })
  expect(untried).toEqual([])
})

/** Answers with the same headers. */
interface Group {
  readonly routes: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

async function makeKnown(world: HostileWorld): Promise<Known> {
  const buyer = new HttpBuyer({
    ...{ shop: world.nodeShop, shopOrigin: world.shopUrl, checkout: world.api.baseUrl },
  })
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

/** Other at each answer, and no protection. */
const passing = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'request-id', 'transfer-encoding'],
  ...['ratelimit', 'ratelimit-policy', 'last-modified', 'accept-ranges'],
]

function protecting(
  answer: Response,
  world: { checkoutOrigin: string; challengeOrigin: string; shopUrl: string },
): Record<string, string> {
  const fixed = [...answer.headers].filter(([name]) => !passing.includes(name))
  const named = fixed.map(([name, value]) => [
    name,
    value
      .replaceAll(world.checkoutOrigin, 'CHECKOUT')
      .replaceAll(world.challengeOrigin, 'CHALLENGE')
      .replaceAll(world.shopUrl, 'SHOP')
      // What other tests of this world have registered beside the shop.
      .replaceAll(/ http:\/\/evil\.localhost:\d+/g, '')
      .replace(/^([\w-]+)=[^;]+/, name === 'set-cookie' ? '$1=VALUE' : '$&')
      .replace(/^\/payment-intents\/\w+$/, '/payment-intents/ID')
      .replace(/Expires=[^;]+/, 'Expires=TIME')
      .replace(/^(W\/)?"[^"]+"$/, name === 'etag' ? '$1"TAG"' : '$&'),
  ])
  return Object.fromEntries(named)
}
