/** The shop in this process, on a free port, with a service in memory. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentIntents } from '@pi-checkout/server'
import { fakeService } from '@pi-checkout/server/testing'
import { startSite } from '@pi-checkout/test-support/sites'
import { shopApp } from '../server/app.ts'
import type { Database } from '../server/database.ts'
import { openShop } from '../server/shop.ts'
import { Buyer } from './buyer.ts'

export type TestShop = Awaited<ReturnType<typeof startShop>>

export const checkoutOrigin = 'http://127.0.0.1:4000'
export const staffPassword = 'the password of the staff'

/** @param shopOrigin - The origin behind a proxy. */
export async function startShop(shopOrigin?: string) {
  const data = await mkdtemp(join(tmpdir(), 'shop-'))
  const service = fakeService()
  const intents = new PaymentIntents(service.options)
  const site = await startSite(undefined, { name: 'localhost' })
  const origin = shopOrigin ?? site.origin
  const inspectorUrl = `${checkoutOrigin}/_sandbox/`
  const options = { data, intents, checkoutOrigin, staffPassword, inspectorUrl }
  const shop = openShop({ ...options, shopOrigin: origin })
  site.serve(shopApp(shop))
  const buyer = (): Promise<Buyer> => new Buyer(site.origin, origin).visit()
  const order = async (product = 'lori-honey', quantity = 1) => {
    const newBuyer = await buyer()
    await newBuyer.put(product, quantity)
    return { buyer: newBuyer, orderId: await newBuyer.placeOrder() }
  }
  return {
    ...shop,
    url: site.origin,
    service,
    /** A new buyer with a session. */
    buyer,
    /** A new buyer who has ordered a product. */
    order,
    /** A new buyer whose page has received the handoff of an order. */
    async handedOff() {
      const ordered = await order()
      const { id } = await ordered.buyer.handoff(ordered.orderId)
      return { ...ordered, id }
    },
    /** Settles the payments that are due, as the shop does every minute. */
    async settle(): Promise<void> {
      makeDue(shop.db)
      await shop.checkout.reconcile()
    },
    async close(): Promise<void> {
      await site.close()
      shop.db.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** Makes the payments due that have no result. */
export function makeDue(db: Database): void {
  const now = new Date().toISOString()
  db.prepare('update checkout_payments set check_at = ? where check_at > ?').run(now, now)
}
