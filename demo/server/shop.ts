/** What the parts of the shop share: database, sessions, and the checkout. @module */
import type { HandoffHandler } from '@pi-checkout/server'
import type { Request } from 'express'
import type { Sandbox } from './config.ts'
import type { Database } from './database.ts'
import type { PayableOrder } from './order-intents.ts'
import type { Sessions } from './session.ts'
import type { Trace } from './trace.ts'

export interface Shop {
  readonly db: Database
  readonly sessions: Sessions
  readonly checkout: HandoffHandler<PayableOrder, Request>
  readonly shopOrigin: string
  readonly checkoutOrigin: string
  /** Undefined in production, where inspector and back office do not exist. */
  readonly tools: DevelopmentTools | undefined
}

export interface DevelopmentTools {
  readonly trace: Trace
  readonly adminToken: string
  readonly sandbox: Sandbox | undefined
}
