/** What the parts of the shop share: database, sessions, and the checkout. @module */
import type { Checkout, PaymentIntents, PaymentStore } from '@pi-checkout/server'
import type { Request } from 'express'
import type { Database } from './database.ts'
import type { Sessions } from './session.ts'

export interface Shop {
  readonly db: Database
  readonly sessions: Sessions
  readonly intents: PaymentIntents
  readonly payments: PaymentStore
  readonly checkout: Checkout<Request>
  readonly shopOrigin: string
  readonly checkoutOrigin: string
  /** Address of the service's inspector, in development only. */
  readonly inspectorUrl: string | undefined
}
