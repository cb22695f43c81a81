/** What the parts of the shop share: database, sessions, and the checkout. @module */
import type { Checkout, PaymentIntents } from '@pi-checkout/server'
import type { Request } from 'express'
import { shopCheckout } from './checkout.ts'
import { type Database, openDatabase } from './database.ts'
import { type Sessions, sessionsAt } from './session.ts'

export interface ShopOptions {
  /** Folder of the database. */
  readonly data: string
  readonly shopOrigin: string
  readonly checkoutOrigin: string
  readonly intents: PaymentIntents
  readonly staffPassword: string
  /** Address of the service's inspector, in development only. */
  readonly inspectorUrl: string | undefined
}

export interface Shop extends ShopOptions {
  readonly db: Database
  readonly sessions: Sessions
  readonly checkout: Checkout<Request>
}

export function openShop(options: ShopOptions): Shop {
  const db = openDatabase(options.data)
  const sessions = sessionsAt(options.shopOrigin)
  const parts = { ...options, db, sessions }
  return { ...parts, checkout: shopCheckout(parts) }
}
