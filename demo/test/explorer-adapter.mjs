// The demo shop for `pi-explore`: how to order, to change an order, and to read the shop's own records.
const form = (fields = {}) => ({ body: new URLSearchParams(fields) })

/** Puts so many pieces into the cart, and presses "Check out". */
async function order(buyer, choose) {
  const cart = await (await buyer.fetch('/cart')).text()
  const [, was = '0'] = /data-testid="line-thyme-tea" data-quantity="(\d+)"/.exec(cart) ?? []
  const quantity = choose(Number(was))
  await buyer.fetch('/cart', form({ product: 'thyme-tea', quantity, was }))
  const page = await buyer.fetch('/orders', form())
  const [, orderId] = /\/(?:pay|orders)\/([\w-]+)$/.exec(page.url) ?? []
  return orderId && { orderId, amount: amountOn(await page.text()) }
}

/** Returns the session's newest order, unless it has ended: a reload and another tab show it too. */
async function currentOrder(buyer) {
  const list = await (await buyer.fetch('/orders')).text()
  const [, orderId] = /href="\/orders\/([\w-]+)"/.exec(list) ?? []
  if (!orderId) return undefined
  const page = await (await buyer.fetch(`/orders/${orderId}`)).text()
  if (/data-state="(?:paid|closed|refunded)"/.test(page)) return undefined
  return { orderId, amount: amountOn(page) }
}

/** "Edit cart" closes the session's newest order. Another quantity becomes another order. */
async function edit(buyer) {
  const list = await (await buyer.fetch('/orders')).text()
  const [, orderId] = /href="\/orders\/([\w-]+)"/.exec(list) ?? []
  await buyer.fetch(`/orders/${orderId}/edit`, form())
  return await order(buyer, (quantity) => (quantity === 1 ? 2 : 1))
}

function amountOn(html) {
  const [, total = ''] = /data-testid="order-total">([^<]+)</.exec(html) ?? []
  return Number(total.replace(/[^\d.]/g, '')) * 100
}

/** @type {import('@pi-checkout/explorer').Adapter} */
export default {
  routes: { page: '/orders', start: '/checkout/start' },
  survivesRestart: true,
  settlesWithin: 3000,
  env: ({ folder }) => ({
    PI_SHOP_DATA: folder,
    PI_RECONCILE_MS: '100',
  }),
  begin: async (buyer) => (await currentOrder(buyer)) ?? (await order(buyer, () => 1)),
  edit,
  // Its page shows what is stored. Its script lets the shop check the payments first.
  state: async (buyer, orderId) => {
    await buyer.fetch(`/checkout/status?orderId=${orderId}`)
    const html = await (await buyer.fetch(`/orders/${orderId}`)).text()
    const [, state = 'open'] = /data-testid="order-state" data-state="(\w+)"/.exec(html) ?? []
    return state
  },
  reviews: async (buyer, orderId) => {
    const html = await (await buyer.fetch(`/orders/${orderId}/review`)).text()
    return [...html.matchAll(/class="intent-id"><bdi>([\w-]+)/g)].map(([, intentId]) => intentId)
  },
}
