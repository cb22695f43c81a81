import { payWith } from '@pi-checkout/element/testing'
import { createCertificate } from '@pi-checkout/test-support/certificate'
import { freePort } from '@pi-checkout/test-support/free-port'
import { hasPgbouncer, startPgbouncer } from '@pi-checkout/test-support/pgbouncer'
import { postgresBinaries, startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { SlowLine } from '@pi-checkout/test-support/slow-line'
import { newKeys, runPiService, startService, startShop } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import { type Api, retrieve } from '../fixtures/api.ts'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'
import { nginxProgram, startNginx } from '../fixtures/nginx.ts'

interface Deployment {
  readonly shopOrigin: string
  /** The API of each instance. */
  readonly apis: readonly Api[]
}

/** A shop and two instances on PgBouncer, behind nginx with TLS, and a slow line to the buyer. */
const test = base.extend<{ deployment: Deployment }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  deployment: async ({}, use, testInfo) => {
    const cleanups: (() => Promise<unknown>)[] = []
    try {
      const database = await startTemporaryPostgres()
      cleanups.push(database.stop)
      const pooler = await startPgbouncer(database.url, {
        ...{ pool_mode: 'session', ignore_startup_parameters: 'options' },
      })
      cleanups.push(pooler.stop)

      const behind = await freePort()
      const line = new SlowLine({ roundTrip: 200, bytesPerSecond: 100_000 })
      cleanups.push(() => line.stop())
      const linePort = await line.forward(behind)
      const origin = (name: string): string => `https://${name}.localhost:${linePort}`
      const env = {
        ...{ PI_DATABASE_URL: pooler.url, PI_SECRET_KEYS: newKeys() },
        ...{ PI_PUBLIC_URL: origin('pay'), PI_CHALLENGE_URL: origin('bank') },
        PI_TRUSTED_PROXIES: '127.0.0.1',
      }
      const ports = [await freePort(), await freePort()]
      const services = []
      for (const port of ports) {
        const service = await startService(['--port', String(port)], env)
        cleanups.push(service.stop)
        services.push(service.ready)
      }
      const apiKey = services.find((service) => service.apiKey)?.apiKey ?? ''
      await runPiService(['origins', 'add', origin('shop'), '--environment', 'test'], env)

      const shopPort = await freePort()
      const shop = await startShop({
        ...{ PORT: String(shopPort), SHOP_ORIGIN: origin('shop'), PI_API_KEY: apiKey },
        ...{ PI_BASE_URL: `http://127.0.0.1:${ports[0]}`, PI_CHECKOUT_ORIGIN: origin('pay') },
        ...{ PI_HANDOFF_KEYS: newKeys(), PI_SHOP_DATA: testInfo.outputPath('shop') },
      })
      cleanups.push(shop.stop)
      const nginx = await startNginx(nginxProgram ?? '', {
        port: behind,
        certificate: createCertificate(['pay.localhost', 'bank.localhost', 'shop.localhost']),
        hosts: {
          'pay.localhost': ports,
          'bank.localhost': ports.map((port) => port + 1),
          'shop.localhost': [shopPort],
        },
      })
      cleanups.push(nginx.stop)
      const apis = ports.map((port) => ({
        api: { baseUrl: `http://127.0.0.1:${port}`, apiKey },
      }))
      await use({ shopOrigin: origin('shop'), apis })
    } finally {
      for (const cleanup of cleanups.reverse()) await cleanup()
    }
  },
  baseURL: async ({ deployment }, use) => use(deployment.shopOrigin),
  ignoreHTTPSErrors: true,
})

test.skip(!nginxProgram || !postgresBinaries || !hasPgbouncer, 'needs nginx and PostgreSQL')
test.setTimeout(180_000)

test('a buyer on a slow line pays at two instances behind nginx and PgBouncer', async ({
  page,
  deployment,
}) => {
  const { id } = await openCheckout(page)
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
  for (const api of deployment.apis) {
    expect(await (await retrieve(api, id)).json()).toMatchObject({ id, status: 'succeeded' })
  }
})
