import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import { runPiService, startService } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import { type Api, createIntent, retrieve } from '../fixtures/api.ts'

const shopOrigin = 'https://shop.example'
const wrongKeys = 1000
const liveBuyers = 200

/** Addresses that a proxy names: the buyers share the first one. */
const claimed = ['198.51.100.7', '203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']

const test = base.extend<{ trusted: string | undefined; live: Api }>({
  trusted: [undefined, { option: true }],
  live: async ({ trusted }, use) => {
    const data = await mkdtemp(join(tmpdir(), 'pi-e2e-limits-'))
    const store = ['--data', data]
    const service = await startService(store, {
      PI_RATE_LIMIT: '100',
      ...(trusted && { PI_TRUSTED_PROXIES: trusted }),
    })
    const merchant = ['--merchant', 'Live Shop', '--environment', 'live', '--json', ...store]
    const { apiKey } = JSON.parse(await runPiService(['keys', 'create', ...merchant]))
    await runPiService(['origins', 'add', shopOrigin, ...merchant])
    await use({ api: { baseUrl: service.ready.baseUrl, apiKey } })
    await service.stop()
    await rm(data, { recursive: true, force: true })
  },
})

for (const trusted of [undefined, '127.0.0.1']) {
  test.describe(() => {
    test.use({ trusted })

    test(`1,000 wrong keys stop no buyer with PI_TRUSTED_PROXIES=${trusted} (threat 32)`, async ({
      live,
    }) => {
      test.setTimeout(120_000)
      const { baseUrl } = live.api
      const guesses = Array.from({ length: wrongKeys }, async (_, index) => {
        const startedAt = performance.now()
        const api = { baseUrl, apiKey: wrongKey(index) }
        const forwarded = { 'x-forwarded-for': claimed[index % claimed.length] ?? '' }
        const response = await retrieve({ api }, 'pi_x', forwarded)
        await response.arrayBuffer()
        const retryAfter = Number(response.headers.get('retry-after'))
        return { status: response.status, ms: performance.now() - startedAt, retryAfter }
      })
      const buyers = Array.from({ length: liveBuyers }, async () => {
        const handoff = await createIntent(live)
        const buyer = new HttpBuyer(
          { shop: '', shopOrigin, checkout: baseUrl },
          { retryMs: 30_000, headers: { 'x-forwarded-for': claimed[0] ?? '' } },
        )
        await buyer.openSession(handoff)
        return (await buyer.pay()).status
      })
      expect(await Promise.all(buyers)).toEqual(Array(liveBuyers).fill('succeeded'))

      const responses = await Promise.all(guesses)
      const early = responses.filter(({ status }) => status !== 429)
      expect(new Set(early.map(({ status }) => status))).toEqual(new Set([401]))
      // Twenty for each known address, or for all clients together, and what a minute adds.
      expect(early.length).toBeLessThan(trusted ? 200 : 40)
      const slowed = responses.filter(({ status }) => status === 429)
      expect(Math.min(...slowed.map(({ ms }) => ms))).toBeGreaterThan(490)
      expect(Math.min(...slowed.map(({ retryAfter }) => retryAfter))).toBeGreaterThan(0)
    })
  })
}

/** Every second key is well-formed, so that the store is searched for it. */
function wrongKey(index: number): string {
  const body = randomBytes(15).toString('hex')
  return index % 2 === 0 ? `wrong-${index}` : `pi_sk_live_${body}${base62(crc32(body))}`
}

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  return Array.from(
    { length: 6 },
    (_, place) => digits[Math.floor(value / 62 ** (5 - place)) % 62],
  ).join('')
}
