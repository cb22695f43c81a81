/** The back office, in development only: orders with their intents and verdicts. It needs a separate token. @module */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatMoney } from '@pi-checkout/server'
import { type RequestHandler, Router } from 'express'
import type { Database } from './database.ts'
import { intentsOf } from './order-intents.ts'
import { allOrders, type Order } from './orders.ts'
import type { BackOfficeData } from './page-data.ts'
import { ShopProblem } from './problem.ts'
import { settleNow } from './settle.ts'
import type { DevelopmentTools, Shop } from './shop.ts'

/** Returns the back office's token. It is created once per data folder, readable by the file's owner only. */
export function backOfficeToken(folder: string): string {
  const path = join(folder, 'admin-token')
  if (!existsSync(path)) {
    writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}

/** Creates the routes `/admin/data` and `/admin/reconcile`. The page itself contains no data. */
export function backOfficeRoutes(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  { adminToken, sandbox }: Pick<DevelopmentTools, 'adminToken' | 'sandbox'>,
): Router {
  const routes = Router({ caseSensitive: true, strict: true })
  const data = (): BackOfficeData => backOfficeData(db, sandbox?.inspectorUrl)
  routes.get('/data', guard(adminToken), (_req, res) => {
    res.json(data())
  })
  routes.post('/reconcile', guard(adminToken), async (_req, res) => {
    await settleNow({ db, checkout })
    res.json(data())
  })
  return routes
}

function guard(token: string): RequestHandler {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  return (req, _res, next) => {
    if (!timingSafeEqual(digest(req.get('authorization') ?? ''), expected)) {
      throw new ShopProblem('forbidden')
    }
    next()
  }
}

function backOfficeData(db: Database, inspectorUrl: string | undefined): BackOfficeData {
  // The printed address contains the sandbox's token in its fragment, which must not reach a page.
  const [inspector] = inspectorUrl?.split('#') ?? []
  return {
    inspectorUrl: inspector ?? null,
    orders: allOrders(db).map((order) => orderRow(db, order)),
  }
}

function orderRow(db: Database, order: Order): BackOfficeData['orders'][number] {
  const { id, state, amount, currency, attempt, placedAt } = order
  return {
    id,
    state,
    amount: formatMoney(amount, currency),
    attempt,
    placedAt,
    intents: intentsOf(db, id).map((intent) => ({
      id: intent.id,
      attempt: intent.attempt,
      amount: formatMoney(intent.amount, intent.currency),
      verdict: intent.verdict,
      current: intent.id === order.intent,
      alert: alertOf(intent.verdict, intent.id === order.intent),
    })),
  }
}

function alertOf(verdict: string | null, current: boolean): string | null {
  if (verdict === 'paid' && !current) return 'paid, but not for the current order: refund it'
  if (verdict === 'mismatch') return 'intent and order differ: review manually before you ship'
  return null
}
