import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { freePort } from '@pi-checkout/test-support/free-port'
import { test as base, expect } from '@playwright/test'
import { create } from '../fixtures/api.ts'
import type { Handoff } from '../fixtures/buyer.ts'
import { HttpBuyer } from '../fixtures/http-buyer.ts'
import { type Nginx, nginxProgram, startNginx } from '../fixtures/nginx.ts'
import { run, start } from '../fixtures/program.ts'
import { builtService, type ServiceReady } from '../fixtures/world.ts'

const shopOrigin = 'https://shop.example'
const wrongKeys = 1000
const liveBuyers = 200

/** Addresses that a balancer in front of nginx names: the buyers share the first one. */
const claimed = ['198.51.100.7', '203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']

interface Proxied {
  readonly nginx: Nginx
  readonly live: { readonly api: { readonly baseUrl: string; readonly apiKey: string } }
}

const test = base.extend<{ trusted: string | undefined; proxied: Proxied }>({
  trusted: [undefined, { option: true }],
  proxied: async ({ trusted }, use) => {
    test.skip(nginxProgram === undefined, 'nginx is not installed')
    const data = await mkdtemp(join(tmpdir(), 'pi-e2e-limits-'))
    const port = await freePort()
    const store = ['--data', data]
    const service = await start<ServiceReady>(
      [builtService, 'start', '--json', '--port', '0', ...store],
      {
        // As with PI_HOST=0.0.0.0: limits as for clients on other hosts.
        ...{ PI_PUBLIC_URL: `http://127.0.0.1:${port}`, PI_RATE_LIMIT: '100' },
        ...(trusted ? { PI_TRUSTED_PROXIES: trusted } : {}),
      },
    )
    const upstream = Number(new URL(service.ready.baseUrl).port)
    const nginx = await startNginx(nginxProgram ?? '', { port, upstream })
    const who = ['--merchant', 'Live Shop', '--environment', 'live', '--json', ...store]
    const { apiKey } = JSON.parse(await run([builtService, 'keys', 'create', ...who]))
    await run([builtService, 'origins', 'add', shopOrigin, ...who])
    await use({ nginx, live: { api: { baseUrl: nginx.origin, apiKey } } })
    await nginx.stop()
    await service.stop()
    await rm(data, { recursive: true, force: true })
  },
})

for (const trusted of [undefined, '127.0.0.1']) {
  test.describe(() => {
    test.use({ trusted })

    test(`1,000 wrong keys stop no buyer with PI_TRUSTED_PROXIES=${trusted} (threat 32)`, async ({
      proxied: { nginx, live },
    }) => {
      test.setTimeout(120_000)
      const wrong = Array.from({ length: wrongKeys }, (_, at) =>
        tryKey(nginx.origin, { key: wrongKey(at), from: claimed[at % claimed.length] ?? '' }),
      )
      const buyers = Array.from({ length: liveBuyers }, async () => {
        const pair: Handoff = await (await create(live)).json()
        const places = { shop: '', shopOrigin, checkout: nginx.origin }
        const added = { 'x-forwarded-for': claimed[0] ?? '' }
        const buyer = new HttpBuyer(places, { patience: 30_000, added })
        await buyer.openSession(pair)
        return (await buyer.pay()).status
      })
      expect(await Promise.all(buyers)).toEqual(Array(liveBuyers).fill('succeeded'))

      const answers = await Promise.all(wrong)
      const isSlowed = ({ status }: Answer): boolean => status === 429
      const early = answers.filter((answer) => !isSlowed(answer))
      expect(new Set(early.map(({ status }) => status))).toEqual(new Set([401]))
      // Twenty for each known address, or for all clients together, and what a minute adds.
      expect(early.length).toBeLessThan(trusted ? 200 : 40)
      const late = answers.filter(isSlowed)
      expect(Math.min(...late.map(({ ms }) => ms))).toBeGreaterThan(490)
      expect(Math.min(...late.map(({ retryAfter }) => retryAfter))).toBeGreaterThan(0)
    })
  })
}

interface Answer {
  readonly status: number
  readonly ms: number
  readonly retryAfter: number
}

async function tryKey(
  origin: string,
  { key, from }: { readonly key: string; readonly from: string },
): Promise<Answer> {
  const begin = performance.now()
  const response = await fetch(`${origin}/payment-intents/pi_x`, {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from },
  })
  await response.arrayBuffer()
  const retryAfter = Number(response.headers.get('retry-after'))
  return { status: response.status, ms: performance.now() - begin, retryAfter }
}

/** Each second one passes the check of its form, so that the store has to look for it. */
function wrongKey(at: number): string {
  const body = randomBytes(15).toString('hex')
  return at % 2 === 0 ? `wrong-${at}` : `pi_sk_live_${body}${base62(crc32(body))}`
}

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  return Array.from({ length: 6 }, (_, at) => digits[Math.floor(value / 62 ** (5 - at)) % 62]).join(
    '',
  )
}
