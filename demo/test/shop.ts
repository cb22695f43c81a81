/** The shop in this process, on a free port and with a separate data folder. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import { startSite } from '@pi-checkout/test-support/sites'
import { shopApp } from '../server/app.ts'
import { shopCheckout, shopPayments } from '../server/checkout.ts'
import { type Database, openDatabase } from '../server/database.ts'
import { sessionsAt } from '../server/session.ts'
import type { Shop } from '../server/shop.ts'
import { Buyer } from './buyer.ts'
import { type Service, startService } from './service.ts'

export interface TestShop {
  readonly url: string
  readonly db: Database
  readonly intents: PaymentIntents
  readonly checkout: Shop['checkout']
  readonly service: Service
  /** A new buyer with a session. */
  buyer(): Promise<Buyer>
  /** A new buyer who has ordered a product. */
  order(product: string, quantity?: number): Promise<{ buyer: Buyer; orderId: string }>
  /** Settles the payments that are due, as the shop does every minute: after so many days, or one. */
  settle(days?: number): Promise<void>
  close(): Promise<void>
}

export const checkoutOrigin = 'http://127.0.0.1:4000'

/** @param options - `shopOrigin`: the origin behind a proxy. */
export async function startShop(options: { readonly shopOrigin?: string } = {}): Promise<TestShop> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'))
  const service = await startService()
  const { apiKey, baseUrl } = service
  const intents = new PaymentIntents({ apiKey, baseUrl })
  const db = openDatabase(folder)
  const site = await startSite(undefined, { name: 'localhost' })
  const url = site.origin
  const { shopOrigin = url } = options
  const sessions = sessionsAt(shopOrigin)
  const payments = shopPayments(db)
  const checkout = shopCheckout({
    db,
    sessions,
    intents,
    payments,
    shopOrigin,
    checkoutOrigin,
  })
  const inspectorUrl = `${baseUrl}/_sandbox/`
  site.serve(
    shopApp({
      db,
      sessions,
      intents,
      payments,
      checkout,
      shopOrigin,
      checkoutOrigin,
      inspectorUrl,
    }),
  )
  const newBuyer = (): Promise<Buyer> => new Buyer(url, shopOrigin).visit()
  return {
    url,
    db,
    intents,
    checkout,
    service,
    buyer: newBuyer,
    order: async (product, quantity = 1) => {
      const buyer = await newBuyer()
      await buyer.put(product, quantity)
      return { buyer, orderId: await buyer.placeOrder() }
    },
    settle: async (days = 1) => {
      passDays(db, days)
      await checkout.reconcile()
    },
    async close() {
      await site.close()
      db.close()
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Moves what is stored about payments into the past. */
export function passDays(db: Database, days: number): void {
  const earlier = (time: string): string =>
    new Date(Date.parse(time) - days * 86_400_000).toISOString()
  const rows = db
    .prepare('select order_id, check_at, record from checkout_payments where check_at is not null')
    .all() as { order_id: string; check_at: string; record: string }[]
  for (const { order_id, check_at, record } of rows) {
    const moved = record.replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, earlier)
    db.prepare('update checkout_payments set check_at = ?, record = ? where order_id = ?').run(
      earlier(check_at),
      moved,
      order_id,
    )
  }
}
