// A shop that is written by hand on `PaymentIntents`, with sessions and orders in a file. MISTAKE selects what is wrong in it.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { newOrderId, PaymentIntents, phaseOf } from '@pi-checkout/server'

const { PORT, MISTAKE, ORDERS = '' } = process.env
const intents = new PaymentIntents()
const currency = 'AMD'
/** Orders by id. */
const orders = new Map(existsSync(ORDERS) ? JSON.parse(readFileSync(ORDERS, 'utf8')) : [])

function save() {
  if (!ORDERS) return
  // A killed process leaves the old file or the new one.
  writeFileSync(`${ORDERS}.new`, JSON.stringify([...orders]))
  renameSync(`${ORDERS}.new`, ORDERS)
}

function newOrder(session, amount) {
  const id = newOrderId()
  const order = { id, session, amount, attempt: 1, intentId: null, old: [], shipped: 0 }
  orders.set(id, { ...order, paid: false, review: false })
  save()
  return orders.get(id)
}

const orderOf = (session) => [...orders.values()].findLast((order) => order.session === session)

/** Reads the intent of an order, and stores what follows. */
async function settle(order) {
  const { intentId } = order
  for (const id of order.old) {
    const old = await intents.retrieve(id)
    if (phaseOf(old.status) !== 'paid') continue
    const isEnough = String(old.amount) >= String(order.amount)
    if (MISTAKE === 'amount-as-string' && isEnough) pay(order)
    else order.review = true
    save()
  }
  if (order.paid && MISTAKE !== 'ships-twice') return 'paid'
  if (intentId === null) return 'open'
  const intent = await intents.retrieve(intentId)
  const phase = phaseOf(intent.status)
  if (phase === 'paid' && intent.amount === order.amount && intent.orderId === order.id) pay(order)
  if (phase === 'failed' && order.intentId === intentId) {
    order.attempt++
    order.intentId = null
  }
  if (MISTAKE === 'attempt-on-poll' && phase === 'open') order.attempt++
  save()
  return phase
}

function pay(order) {
  if (order.paid && MISTAKE !== 'ships-twice') return
  order.paid = true
  if (MISTAKE !== 'ships-on-finish') order.shipped++
}

async function handoff(order, body) {
  for (;;) {
    if (order.paid) return { status: 409, body: { code: 'order_already_paid' } }
    const { attempt, amount: price } = order
    const amount = MISTAKE === 'price-from-request' ? (body.amount ?? price) : price
    const key = { 'random-key': randomUUID(), 'timestamp-key': `order-${order.id}-${Date.now()}` }[
      MISTAKE
    ]
    const { intent, handoff: pair } = await intents.create(
      { amount, currency, orderId: order.id },
      key ? { idempotencyKey: key } : { attempt },
    )
    if (order.paid || order.attempt !== attempt || order.amount !== price) continue
    order.intentId = intent.id
    order.secret = pair.clientSecret
    save()
    return { status: 200, body: { id: pair.id, clientSecret: pair.clientSecret } }
  }
}

const routes = {
  'GET /': async ({ session }) => {
    let order = orderOf(session)
    if (order && !order.paid) await settle(order).catch(() => {})
    if (!order || order.paid) order = newOrder(session, 900)
    const isPending = MISTAKE === 'cart-twice' && order.intentId
    if (isPending && (await intents.retrieve(order.intentId)).status === 'processing') {
      order = newOrder(session, order.amount)
    }
    const handed = MISTAKE === 'secret-in-page' ? { order } : {}
    const text = `<pi-checkout data-order="${order.id}"></pi-checkout><script type="application/json">${JSON.stringify(handed)}</script>`
    return { status: 200, text }
  },
  'POST /checkout/handoff': async ({ session, body }) => {
    const named = orders.get(body.orderId)
    const order = MISTAKE === 'no-session' ? (named ?? orderOf(session)) : orderOf(session)
    if (!order || (body.orderId && body.orderId !== order.id)) return { status: 404, body: {} }
    return await handoff(order, body)
  },
  'GET /checkout/status': async ({ session, query }) => {
    const order = orders.get(query.get('orderId')) ?? orderOf(session)
    if (!order || order.session !== session) return { status: 404, body: {} }
    if (MISTAKE === 'paid-on-query' && query.get('status') === 'paid') pay(order)
    return { status: 200, body: { phase: await settle(order) } }
  },
  'POST /edit': async ({ session }) => {
    let order = orderOf(session)
    const phase = order && (await settle(order))
    if (!order || phase === 'processing') return { status: 409, body: {} }
    if (order.paid) order = newOrder(session, 900)
    order.amount = order.amount === 900 ? 1500 : 900
    if (order.intentId && MISTAKE !== 'old-intent-ignored') order.old.push(order.intentId)
    order.intentId = null
    save()
    return { status: 200, body: { orderId: order.id, amount: order.amount } }
  },
  'POST /finish': async ({ session, body }) => {
    const order = orders.get(body.orderId)
    if (!order || order.session !== session) return { status: 404, body: {} }
    if (MISTAKE === 'paid-on-finish') pay(order)
    if (MISTAKE === 'ships-on-finish' && (await settle(order)) === 'paid') order.shipped = 1
    save()
    return { status: 200, body: {} }
  },
  'GET /record': async ({ session, query }) => {
    const order = orders.get(query.get('orderId'))
    if (!order || order.session !== session) return { status: 404, body: {} }
    const state = order.paid ? 'paid' : order.review ? 'review' : 'open'
    return { status: 200, body: { state, shipped: order.shipped } }
  },
}

/** The buyers who did not come back. */
async function reconcile() {
  for (const order of orders.values()) {
    if (!order.paid || order.old.length > 0) await settle(order).catch(() => {})
  }
}
if (MISTAKE !== 'no-reconciliation') {
  const again = () => setTimeout(() => reconcile().finally(again), 50)
  again()
}

async function respond(request, response) {
  const { pathname, searchParams: query } = new URL(request.url, 'http://localhost')
  const [, known] = /session=(\w+)/.exec(request.headers.cookie ?? '') ?? []
  const session = known ?? randomBytes(8).toString('hex')
  const route = routes[`${request.method} ${pathname}`]
  const body = request.method === 'POST' ? await json(request) : {}
  const result = route ? await route({ session, query, body }) : { status: 404, body: {} }
  response.writeHead(result.status, {
    'content-type': result.text ? 'text/html' : 'application/json',
    'set-cookie': `session=${session}; Path=/; HttpOnly; SameSite=Lax`,
  })
  response.end(result.text ?? JSON.stringify(result.body))
}

createServer(async (request, response) => {
  if (MISTAKE === 'exits') return await respond(request, response)
  try {
    await respond(request, response)
  } catch {
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}).listen(PORT)
