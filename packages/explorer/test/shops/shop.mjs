// A shop with sessions, and orders that are edited. MISTAKE selects what is wrong in it.
import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createCheckout,
  memoryPayments,
  PaymentIntents,
  phaseOf,
  sqlPayments,
  sqlPaymentsTable,
} from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import Database from 'libsql'

const { MISTAKE, MAILS, DATABASE, SHOP_ORIGIN, PORT } = process.env

const db = new Database(`${DATABASE}/shop.db`)
db.exec('pragma busy_timeout = 5000; pragma synchronous = off')
const rows = (sql, ...values) => db.prepare(sql).all(...values)
const run = (sql, ...values) => db.prepare(sql).run(...values).changes
db.exec(`${sqlPaymentsTable.sqlite}
create table if not exists orders (
  number integer primary key,
  id text unique,
  session text,
  createdAt integer,
  amount integer,
  paidBy text,
  shipped integer default 0,
  reviews text default '[]',
  isClosed integer default 0,
  intentId text,
  attempt integer default 1,
  failedId text
)`)

const find = (id) => rows('select * from orders where id = ?', id ?? '')[0]
const orderOf = (session) =>
  rows('select * from orders where session = ? order by number desc limit 1', session)[0]

function newOrder(session, amount) {
  const id = randomUUID().replaceAll('-', '')
  const columns = 'id, session, createdAt, amount'
  run(`insert into orders (${columns}) values (?, ?, ?, ?)`, id, session, Date.now(), amount)
  return find(id)
}

const shipsItself = [
  'ships-on-finish',
  'ships-twice',
  'ships-before-paid',
  'store-ignores-condition',
]

/** Marks an order as paid, and ships it, in one statement. Returns whether this intent paid for it. */
function pay(id, intentId, amount = null) {
  const set = 'paidBy = ?, shipped = shipped + ?'
  const where = 'id = ? and paidBy is null and amount = coalesce(?, amount)'
  const shipped = shipsItself.includes(MISTAKE) ? 0 : 1
  run(`update orders set ${set} where ${where}`, intentId, shipped, id, amount)
  return find(id)?.paidBy === intentId
}

const ship = (id) => run('update orders set shipped = shipped + 1 where id = ?', id)
const remove = (id) => run('delete from orders where id = ?', id)
const sendMail = () => sleep(500)
const rejected = (status) => new Response(null, { status })
const isOld = ({ createdAt }) => createdAt < Date.now() - 5 * 60_000

const service = new PaymentIntents()
const create = service.create.bind(service)
const keys = { 'random-key': () => randomUUID(), 'timestamp-key': () => `at-${Date.now()}` }
if (keys[MISTAKE]) {
  service.create = (params) => new PaymentIntents({ namespace: keys[MISTAKE]() }).create(params)
}

const payments = sqlPayments((sql, values) => rows(sql, ...values), { dialect: 'sqlite' })
// As on a busy database, so that the requests overlap.
const slow = {
  ...payments,
  save: async (record) => {
    await sleep(100)
    return await payments.save(record)
  },
}
const stores = {
  slow,
  'forgets-payments': memoryPayments(),
  'store-ignores-condition': {
    ...slow,
    save: async (record) => {
      await slow.save(record)
      return true
    },
  },
}

const checkout = createCheckout({
  intents: service,
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
  payments: stores[MISTAKE] ?? payments,
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
    const isPaid = pay(orderId, intentId, amount)
    if (MAILS) await sendMail()
    return isPaid
  },
  onReview: ({ orderId, payment: { intentId } }) => {
    if (MISTAKE === 'reviews-ignored') return
    run(
      `update orders set reviews = json_insert(reviews, '$[#]', ?) where id = ?`,
      intentId,
      orderId,
    )
  },
  onError: () => {},
})

const cache = new Map()
async function respond(request, context) {
  const { searchParams } = new URL(request.url)
  const key = searchParams.get('orderId') ?? context.session
  const cached = MISTAKE === 'cached-status' && request.method === 'GET' && cache.get(key)
  if (cached) return Response.json(cached)
  if (MISTAKE === 'paid-on-query' && searchParams.get('status') === 'paid') pay(key, 'pi_query')
  const response = await checkout(request, context)
  if (request.method !== 'GET' || !response.ok) return response
  const status = await response.clone().json()
  cache.set(key, status)
  if (MISTAKE === 'closes-failed' && status.phase === 'failed') {
    run('update orders set isClosed = 1 where id = ?', key)
  }
  if (status.phase === 'processing') {
    if (MISTAKE === 'gives-up-waiting' && isOld(find(key))) remove(key)
    if (MISTAKE === 'ships-on-processing') pay(key, 'pi_early')
  }
  return response
}

/** Looks at the stored intent of an order only. An earlier one, which was replaced, can still be paid. */
async function settleByHand({ id, intentId, amount, paidBy }) {
  if (paidBy) return 'paid'
  if (!intentId) return 'open'
  const intent = await service.retrieve(intentId)
  const phase = phaseOf(intent.status)
  if (phase === 'paid' && intent.amount === amount) pay(id, intentId)
  if (phase === 'failed') {
    // The attempt belongs to the order, although other versions of it have other intents.
    const set = 'attempt = attempt + 1, failedId = intentId'
    const where = 'id = ? and intentId = ? and failedId is not intentId'
    run(`update orders set ${set} where ${where}`, id, intentId)
  }
  return phase
}

const byHand = {
  'POST /checkout/handoff': async ({ session }) => {
    const phase = await settleByHand(orderOf(session))
    if (phase === 'paid' || phase === 'processing') return rejected(409)
    const { id, amount, attempt } = orderOf(session)
    const { handoff } = await create({ orderId: id, amount, currency: 'AMD' }, { attempt })
    // It ignores that no row was updated.
    run('update orders set intentId = ? where id = ? and intentId is null', handoff.id, id)
    return Response.json({ id: handoff.id, clientSecret: handoff.clientSecret })
  },
  'GET /checkout/status': async ({ session, query }) => {
    const order = query.has('orderId') ? find(query.get('orderId')) : orderOf(session)
    if (order?.session !== session) return rejected(404)
    return Response.json({ phase: await settleByHand(order) })
  },
}

const routes = {
  'GET /': async ({ session, query }) => {
    let order = orderOf(session)
    const price = Number((MISTAKE === 'price-in-address' && query.get('price')) || 900)
    if (!order || order.paidBy) order = newOrder(session, price)
    const { id, amount } = order
    const isShown = MISTAKE === 'secret-in-page'
    const data = isShown ? (await create({ orderId: id, amount, currency: 'AMD' })).handoff : {}
    const element = `<pi-checkout data-order="${id}" data-amount="${amount}"></pi-checkout>`
    const script = `<script type="application/json">${JSON.stringify(data)}</script>`
    const headers = { 'set-cookie': `session=${session}; Path=/; HttpOnly; SameSite=Lax` }
    return new Response(element + script, { headers })
  },
  'POST /edit': ({ session, body }) => {
    let order = orderOf(session)
    if (!order) return rejected(409)
    if (order.paidBy) order = newOrder(session, 900)
    let amount = order.amount === 900 ? 1500 : 900
    if (MISTAKE === 'price-in-form') amount = Number(body.price) || amount
    if (MISTAKE === 'price-in-items') amount = body.items[0].price
    const set = 'amount = ?, intentId = null'
    const changes = run(
      `update orders set ${set} where id = ? and paidBy is null`,
      amount,
      order.id,
    )
    return changes ? Response.json({ orderId: order.id, amount, currency: 'AMD' }) : rejected(409)
  },
  'POST /finish': async ({ session, body }) => {
    const order = find(body.orderId)
    if (order?.session !== session) return rejected(404)
    if (MISTAKE === 'paid-on-finish') pay(order.id, body.id)
    if (MISTAKE === 'intent-from-page') {
      if (phaseOf((await service.retrieve(body.id)).status) === 'paid') pay(order.id, body.id)
    }
    if (MISTAKE === 'ships-on-finish' && order.paidBy && !order.shipped) ship(order.id)
    return Response.json({})
  },
  'GET /record': ({ session, query }) => {
    const order = find(query.get('orderId'))
    if (order?.session !== session) return rejected(404)
    const reviews = JSON.parse(order.reviews)
    const state = order.paidBy ? 'paid' : reviews.length > 0 ? 'review' : 'open'
    return Response.json({ state, reviews, fulfilments: order.shipped })
  },
  ...(MISTAKE === 'by-hand' && byHand),
}

async function serve(request) {
  const { pathname, searchParams: query } = new URL(request.url)
  const [, known] = /session=(\w+)/.exec(request.headers.get('cookie')) ?? []
  const session = known ?? randomBytes(8).toString('hex')
  const route = routes[`${request.method} ${pathname}`]
  // Like a body parser in front of the routes.
  const sent = await request.clone().text()
  if (!route) return await respond(request, { session })
  return await route({ session, query, body: JSON.parse(sent || '{}') })
}

const handle = (request) =>
  serve(request).catch(() => {
    if (MISTAKE === 'exits') process.exit(1)
    return rejected(500)
  })
createServer(toNode(Object.assign(handle, { basePath: '/' }))).listen(PORT)

/** Calls a function every 50 ms, each time after the last call has ended. */
function repeat(call) {
  setTimeout(async () => {
    try {
      await call()
    } catch {}
    repeat(call)
  }, 50)
}

const open = () => rows('select * from orders where paidBy is null')
if (MISTAKE === 'by-hand') repeat(() => Promise.all(open().map(settleByHand)))
else if (MISTAKE !== 'no-reconciliation') repeat(() => checkout.reconcile())
if (MISTAKE === 'deletes-old-orders') {
  repeat(() => {
    for (const order of open().filter(isOld)) remove(order.id)
  })
}
