// The demo shop for `pi-explore`: how to order, to change an order, and to read the shop's own records.
const form = (fields = {}) => ({ body: new URLSearchParams(fields) })
const textOf = async (buyer, path, init) => await (await buyer.fetch(path, init)).text()

/** Puts so many pieces into the cart, and presses "Check out". */
async function order(buyer, quantity) {
  await buyer.fetch('/cart', form({ product: 'thyme-tea', quantity }))
  return await checkOut(buyer)
}

/** Orders what is in the cart. An empty one leads to the newest order: a reload and another tab show it too. */
async function checkOut(buyer) {
  const page = await buyer.fetch('/orders', form())
  const [, orderId] = /\/(?:pay|orders)\/([\w-]+)$/.exec(page.url) ?? []
  return orderId && { orderId, amount: amountOn(await page.text()) }
}

/** Returns the newest order, unless it has ended. */
async function currentOrder(buyer) {
  const order = await checkOut(buyer)
  const page = order ? await textOf(buyer, `/orders/${order.orderId}`) : ''
  return /data-state="(?:paid|refunded)"/.test(page) ? undefined : order
}

/** "Edit order" closes the newest order. Another quantity becomes another order. */
async function edit(buyer) {
  const newest = await checkOut(buyer)
  await buyer.fetch(`/orders/${newest?.orderId}/edit`, form())
  return await order(buyer, newest?.amount === 240000 ? 2 : 1)
}

function amountOn(html) {
  const [, total = ''] = /data-testid="order-total">([^<]+)</.exec(html) ?? []
  return Number(total.replace(/[^\d.]/g, '')) * 100
}

const PI_SHOP_STAFF_PASSWORD = 'staff'
const headers = { authorization: `Basic ${btoa(`staff:${PI_SHOP_STAFF_PASSWORD}`)}` }

/** @type {import('@pi-checkout/explorer').Adapter} */
export default {
  survivesRestart: true,
  settlesWithin: 3000,
  env: ({ folder }) => ({ PI_SHOP_DATA: folder, PI_RECONCILE_MS: '100', PI_SHOP_STAFF_PASSWORD }),
  begin: async (buyer) => (await currentOrder(buyer)) ?? (await order(buyer, 1)),
  edit,
  record: async (buyer, orderId) => {
    const html = await textOf(buyer, `/orders/${orderId}`)
    const state = /data-testid="order-state" data-state="(\w+)"/.exec(html)?.[1] ?? 'open'
    // The staff's list has the payments of all orders.
    const payments = (await textOf(buyer, '/staff', { headers })).split('data-testid="review"')
    const own = payments.filter((payment) => payment.includes(`value="${orderId}"`))
    const reviews = own.map((payment) => /name="intentId" value="([\w-]+)"/.exec(payment)?.[1])
    return { state, reviews }
  },
}
