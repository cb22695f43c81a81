/** The shop in this process, on a free port and with a separate data folder. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import { startSite } from '@pi-checkout/test-support/sites'
import { shopApp } from '../server/app.ts'
import { settleNow, shopCheckout } from '../server/checkout.ts'
import { type Database, openDatabase } from '../server/database.ts'
import { sessionsAt } from '../server/session.ts'
import type { Shop } from '../server/shop.ts'
import { Buyer } from './buyer.ts'
import { apiKey, type Service, startService } from './service.ts'

export interface TestShop extends OpenShop {
  readonly service: Service
}

export interface OpenShop {
  readonly url: string
  readonly db: Database
  readonly intents: PaymentIntents
  readonly checkout: Shop['checkout']
  /** A new buyer with a session. */
  buyer(): Promise<Buyer>
  /** A new buyer who has ordered a product. */
  order(product: string, quantity?: number): Promise<{ buyer: Buyer; orderId: string }>
  /** Reconciles, as the shop does every minute. */
  settle(): Promise<void>
  close(): Promise<void>
}

export const checkoutOrigin = 'http://127.0.0.1:4000'

export async function startShop({
  shopOrigin,
}: {
  /** The origin behind a proxy. @default The shop's own */
  readonly shopOrigin?: string
} = {}): Promise<TestShop> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'))
  const service = await startService()
  const { baseUrl } = service
  const shop = await openShop({ baseUrl, apiKey, folder, shopOrigin })
  return {
    ...shop,
    service,
    async close() {
      await shop.close()
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Opens a shop on an existing folder and service, and keeps both when it closes. */
export async function openShop({
  baseUrl,
  apiKey,
  folder,
  shopOrigin,
  port = 0,
}: {
  readonly baseUrl: string
  readonly apiKey: string
  readonly folder: string
  readonly shopOrigin: string | undefined
  readonly port?: number
}): Promise<OpenShop> {
  process.env.PI_HANDOFF_KEYS = `k1:${Buffer.alloc(32, 'key of the tests').toString('base64url')}`
  const intents = new PaymentIntents({ apiKey, baseUrl })
  const db = openDatabase(folder)
  const site = await startSite(undefined, { name: 'localhost', port })
  const url = site.origin
  const origin = shopOrigin ?? url
  const sessions = sessionsAt(origin)
  const checkout = shopCheckout({ db, sessions, intents, shopOrigin: origin })
  const inspectorUrl = `${baseUrl}/_sandbox/`
  const origins = { shopOrigin: origin, checkoutOrigin, inspectorUrl }
  site.serve(shopApp({ db, sessions, checkout, ...origins }))
  return {
    url,
    db,
    intents,
    checkout,
    buyer: () => new Buyer(url, origin).visit(),
    order: async (product, quantity = 1) => {
      const buyer = await new Buyer(url, origin).visit()
      await buyer.put(product, quantity)
      return { buyer, orderId: await buyer.placeOrder() }
    },
    settle: () => settleNow({ db, checkout }),
    async close() {
      await site.close()
      db.close()
    },
  }
}
