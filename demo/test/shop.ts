/** The shop in this process, on a free port and with a separate data folder. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import { startSite } from '@pi-checkout/test-support/sites'
import { shopApp } from '../server/app.ts'
import type { Database } from '../server/database.ts'
import { openShop, type Shop } from '../server/shop.ts'
import { Buyer } from './buyer.ts'
import { type Service, startService } from './service.ts'

export interface TestShop extends Pick<Shop, 'db' | 'intents' | 'checkout'> {
  readonly url: string
  readonly service: Service
  /** A new buyer with a session. */
  buyer(): Promise<Buyer>
  /** A new buyer who has ordered a product. */
  order(product?: string, quantity?: number): Promise<{ buyer: Buyer; orderId: string }>
  /** A new buyer whose page has received the handoff of an order. */
  handedOff(): Promise<{ buyer: Buyer; orderId: string; id: string }>
  /** Settles the payments that are due, as the shop does every minute. */
  settle(): Promise<void>
  close(): Promise<void>
}

export const checkoutOrigin = 'http://127.0.0.1:4000'
export const staffPassword = 'the password of the staff'

/** @param options - `shopOrigin`: the origin behind a proxy. */
export async function startShop(options: { readonly shopOrigin?: string } = {}): Promise<TestShop> {
  const data = await mkdtemp(join(tmpdir(), 'shop-'))
  const service = await startService()
  const { apiKey, baseUrl } = service
  const intents = new PaymentIntents({ apiKey, baseUrl })
  const site = await startSite(undefined, { name: 'localhost' })
  const url = site.origin
  const { shopOrigin = url } = options
  const inspectorUrl = `${baseUrl}/_sandbox/`
  const shop = openShop({ data, intents, shopOrigin, checkoutOrigin, staffPassword, inspectorUrl })
  const { db, checkout } = shop
  site.serve(shopApp(shop))
  const buyer = (): Promise<Buyer> => new Buyer(url, shopOrigin).visit()
  const order = async (product = 'lori-honey', quantity = 1) => {
    const newBuyer = await buyer()
    await newBuyer.put(product, quantity)
    return { buyer: newBuyer, orderId: await newBuyer.placeOrder() }
  }
  return {
    url,
    db,
    intents,
    checkout,
    service,
    buyer,
    order,
    async handedOff() {
      const ordered = await order()
      const { id } = await ordered.buyer.handoff(ordered.orderId)
      return { ...ordered, id }
    },
    async settle() {
      passDay(db)
      await checkout.reconcile()
    },
    async close() {
      await site.close()
      db.close()
      await service.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** Moves what is stored about payments a day into the past. */
export function passDay(db: Database): void {
  const earlier = (time: string): string => new Date(Date.parse(time) - 86_400_000).toISOString()
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
