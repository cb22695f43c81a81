// A shop that keeps `intentId` and `attempt` with each order itself. It loses and doubles payments.
import { PaymentIntents, phaseOf } from '@pi-checkout/server'
import { openDatabase } from './database.mjs'
import { pageOf, repeat, serve } from './site.mjs'

const { read, change } = openDatabase(process.env.DATABASE, { orders: {} })
const intents = new PaymentIntents()
const orderOf = (session) =>
  Object.values(read().orders).findLast((order) => order.session === session)
/** Updates an order if a condition is true, as one statement of SQL does. Returns the number of rows. */
const update = (id, values, where = () => true) =>
  change(({ orders: { [id]: order } }) => {
    if (!order || !where(order)) return 0
    Object.assign(order, values)
    return 1
  })

function newOrder(session) {
  const order = {
    id: crypto.randomUUID().replaceAll('-', ''),
    session,
    amount: 900,
    attempt: 1,
    intentId: null,
    paid: false,
  }
  change(({ orders }) => {
    orders[order.id] = { ...order, failedId: null }
  })
  return order
}

/** Looks at the stored intent only. An earlier intent that was replaced can still be paid. */
async function settle({ id, intentId, attempt, amount, paid }) {
  if (paid) return 'paid'
  if (intentId === null) return 'open'
  const intent = await intents.retrieve(intentId)
  const phase = phaseOf(intent.status)
  if (phase === 'paid' && intent.amount === amount) update(id, { paid: true })
  if (phase === 'failed') {
    // The attempt belongs to the order, although other versions of it have other intents.
    const failed = { attempt: attempt + 1, failedId: intentId }
    update(id, failed, (order) => order.failedId !== intentId && order.intentId === intentId)
  }
  return phase
}

serve({
  'GET /': async ({ session }) => {
    const order = orderOf(session)
    return { text: pageOf(order && !order.paid ? order : newOrder(session)) }
  },
  'POST /checkout/handoff': async ({ session }) => {
    const before = orderOf(session)
    const phase = await settle(before)
    if (phase === 'paid' || phase === 'processing') return { status: 409 }
    const { id, amount, attempt } = orderOf(session)
    const params = { orderId: id, amount, currency: 'AMD' }
    const { intent, handoff } = await intents.create(params, { attempt })
    // It ignores that no row was updated.
    update(id, { intentId: intent.id }, (order) => order.intentId === null)
    return { body: { id: handoff.id, clientSecret: handoff.clientSecret } }
  },
  'GET /checkout/status': async ({ session, query }) => {
    const order = query.has('orderId') ? read().orders[query.get('orderId')] : orderOf(session)
    if (order?.session !== session) return { status: 404 }
    return { body: { phase: await settle(order) } }
  },
  'POST /edit': async ({ session }) => {
    const order = orderOf(session)
    if (!order || ['paid', 'processing'].includes(await settle(order))) return { status: 409 }
    const amount = order.amount === 900 ? 1500 : 900
    update(order.id, { amount, intentId: null })
    return { body: { orderId: order.id, amount } }
  },
  'GET /record': async ({ session, query }) => {
    const order = read().orders[query.get('orderId')]
    if (order?.session !== session) return { status: 404 }
    return { body: { state: order.paid ? 'paid' : 'open', shipped: Number(order.paid) } }
  },
})

repeat(async () => {
  for (const order of Object.values(read().orders)) await settle(order).catch(() => {})
})
