/** What the parts of the shop share: database, sessions, and the checkout. @module */
import type { HandoffHandler } from '@pi-checkout/server'
import type { Request } from 'express'
import type { Database } from './database.ts'
import type { PayableOrder } from './order-intents.ts'
import type { Sessions } from './session.ts'

export interface Shop {
  readonly db: Database
  readonly sessions: Sessions
  readonly checkout: HandoffHandler<PayableOrder, Request>
  readonly shopOrigin: string
  readonly checkoutOrigin: string
  /** Address of the service's inspector, in development only. */
  readonly inspectorUrl: string | undefined
}
