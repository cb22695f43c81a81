// A shop with `createCheckout()`, sessions, and orders that are edited. MISTAKE selects what is wrong in it.
import { setTimeout as sleep } from 'node:timers/promises'
import { createCheckout, memoryPayments, PaymentIntents, phaseOf } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import { openDatabase } from './database.mjs'
import { pageOf, repeat, serve } from './site.mjs'

const { MISTAKE, MAILS, DATABASE, SHOP_ORIGIN } = process.env
const { read, change } = openDatabase(DATABASE, { orders: {}, payments: {} })
const service = new PaymentIntents()

const find = (id) => (Object.hasOwn(read().orders, id ?? '') ? read().orders[id] : undefined)
const orderOf = (session) =>
  Object.values(read().orders).findLast((order) => order.session === session)

function newOrder(session, amount) {
  const order = {
    id: crypto.randomUUID().replaceAll('-', ''),
    createdAt: Date.now(),
    session,
    amount,
    paidBy: null,
    shipped: 0,
    reviews: [],
    isClosed: false,
  }
  change(({ orders }) => {
    orders[order.id] = order
  })
  return order
}

const shipsItself = [
  'ships-on-finish',
  'ships-twice',
  'ships-before-paid',
  'store-ignores-condition',
]

/** Marks an order as paid, and ships it, in one change. */
const pay = (id, intentId, fits = () => true) =>
  change(({ orders: { [id]: order } }) => {
    if (!order || !fits(order)) return false
    if (order.paidBy !== null) return order.paidBy === intentId
    order.paidBy = intentId
    if (!shipsItself.includes(MISTAKE)) order.shipped++
    return true
  })

const sendMail = () => sleep(500)
const close = (id) =>
  change(({ orders: { [id]: order } }) => {
    order.isClosed = true
  })
const remove = (id) => change(({ orders }) => delete orders[id])
const ship = (id) => change(({ orders: { [id]: order } }) => order && order.shipped++)

// As on a busy database, so that the four requests overlap.
const statement = () => MISTAKE === 'store-ignores-condition' && sleep(300)
const store = {
  load: async (scope, orderId) => {
    await statement()
    const record = read().payments[`${scope} ${orderId}`]
    return record && { ...record, checkAt: record.checkAt && new Date(record.checkAt) }
  },
  save: async (record) => {
    await statement()
    return change(({ payments }) => {
      const key = `${record.scope} ${record.orderId}`
      const isNext = (payments[key]?.revision ?? 0) === record.revision - 1
      if (!isNext && MISTAKE !== 'store-ignores-condition') return false
      payments[key] = record
      return true
    })
  },
  due: (scope, now, limit) =>
    Object.values(read().payments)
      .filter(({ scope: of, checkAt }) => of === scope && checkAt && new Date(checkAt) <= now)
      .slice(0, limit)
      .map(({ orderId }) => orderId),
}

const keys = { 'random-key': () => crypto.randomUUID(), 'timestamp-key': () => `at-${Date.now()}` }
const intents = Object.assign(Object.create(service), {
  scope: () => service.scope(),
  retrieve: (...args) => service.retrieve(...args),
  create: (params, options) => {
    const key = keys[MISTAKE]?.()
    return service.create(params, key ? { idempotencyKey: key } : options)
  },
})

const reviewed = ({ orderId, payment }) =>
  void change(({ orders: { [orderId]: order } }) => order?.reviews.push(payment.intentId))

const checkout = createCheckout({
  intents,
  shopOrigin: SHOP_ORIGIN,
  authorize: ({ orderId, request, context }) => {
    if (MISTAKE === 'trusts-page') return orderId
    if (MISTAKE === 'status-of-any-order' && request.method === 'GET') return orderId
    const order = orderId ? find(orderId) : orderOf(context.session)
    return order?.session === context.session && !order.isClosed ? order.id : undefined
  },
  order: (id) => {
    const order = find(id)
    const currency = MISTAKE === 'currency' ? 'USD' : 'AMD'
    return order && { orderId: id, amount: order.amount, currency }
  },
  payments: MISTAKE === 'forgets-payments' ? memoryPayments() : store,
  onPaid: async ({ orderId, payment: { intentId, amount } }) => {
    if (MISTAKE === 'ships-twice') {
      ship(orderId)
      // Its receipt fails the first time.
      if (find(orderId).shipped === 1) throw new Error('The mail server does not respond.')
    }
    if (MISTAKE === 'ships-before-paid') {
      ship(orderId)
      await sendMail()
    }
    if (MISTAKE === 'store-ignores-condition') {
      // Right with another store: only one process runs the hook.
      if (find(orderId)?.paidBy) return find(orderId).paidBy === intentId
      await sendMail()
      ship(orderId)
    }
    const isPaid = pay(orderId, intentId, (order) => order.amount === amount)
    if (MAILS) await sendMail()
    return isPaid
  },
  onReview: MISTAKE === 'reviews-ignored' ? () => {} : reviewed,
  onError: () => {},
})

const routes = {
  'GET /': async ({ session, query }) => {
    let order = orderOf(session)
    const price = Number((MISTAKE === 'price-in-address' && query.get('price')) || 900)
    if (!order || order.paidBy !== null) order = newOrder(session, price)
    return { text: pageOf(order, MISTAKE === 'secret-in-page' ? await handoffOf(order) : {}) }
  },
  'POST /edit': async ({ session, body }) => {
    let order = orderOf(session)
    if (!order) return { status: 409 }
    if (order.paidBy !== null) order = newOrder(session, 900)
    const other = order.amount === 900 ? 1500 : 900
    let amount = other
    if (MISTAKE === 'price-in-form') amount = Number(body.price) || other
    if (MISTAKE === 'price-in-items') amount = body.items[0].price
    const isChanged = change(({ orders: { [order.id]: stored } }) => {
      if (stored.paidBy !== null) return false
      stored.amount = amount
      return true
    })
    return isChanged ? { body: { orderId: order.id, amount, currency: 'AMD' } } : { status: 409 }
  },
  'POST /finish': async ({ session, body }) => {
    const order = find(body.orderId)
    if (order?.session !== session) return { status: 404 }
    if (MISTAKE === 'paid-on-finish') pay(order.id, body.id)
    if (MISTAKE === 'intent-from-page') {
      if (phaseOf((await service.retrieve(body.id)).status) === 'paid') pay(order.id, body.id)
    }
    if (MISTAKE === 'ships-on-finish' && order.paidBy && !order.shipped) ship(order.id)
    return {}
  },
  'GET /record': async ({ session, query }) => {
    const order = find(query.get('orderId'))
    if (order?.session !== session) return { status: 404 }
    const { paidBy, shipped, reviews } = order
    const state = paidBy ? 'paid' : reviews.length > 0 ? 'review' : 'open'
    return { body: { state, shipped, reviews } }
  },
}

async function handoffOf({ id, amount }) {
  const { handoff } = await service.create({ orderId: id, amount, currency: 'AMD' })
  return handoff
}

const cache = new Map()
const respond = async (request, context) => {
  const url = new URL(request.url)
  const key = url.searchParams.get('orderId') ?? context.session
  const cached = MISTAKE === 'cached-status' && request.method === 'GET' && cache.get(key)
  if (cached) return Response.json(cached)
  if (MISTAKE === 'paid-on-query' && url.searchParams.get('status') === 'paid') pay(key, 'pi_query')
  const response = await checkout(request, context)
  if (request.method !== 'GET' || !response.ok) return response
  const status = await response.clone().json()
  cache.set(key, status)
  if (MISTAKE === 'closes-failed' && status.phase === 'failed') close(key)
  if (MISTAKE === 'gives-up-waiting' && status.phase === 'processing') {
    if (read().orders[key]?.createdAt < Date.now() - 5 * 60_000) remove(key)
  }
  if (MISTAKE === 'ships-on-processing' && status.phase === 'processing') pay(key, 'pi_early')
  return response
}
const node = toNode(Object.assign(respond, { basePath: checkout.basePath }))

if (MISTAKE !== 'no-reconciliation') {
  repeat(() => checkout.reconcile())
}
if (MISTAKE === 'deletes-old-orders') {
  repeat(() => {
    const orders = Object.values(read().orders)
    const old = orders.filter(
      ({ createdAt, paidBy }) => !paidBy && createdAt < Date.now() - 5 * 60_000,
    )
    for (const { id } of old) remove(id)
  })
}
serve(routes, { other: node, exits: MISTAKE === 'exits' })
