// The demo shop for `pi-explore`: how to order, to change an order, and to read the shop's own records.
import { randomBytes } from 'node:crypto'

const form = (fields = {}) => ({ body: new URLSearchParams(fields) })
const handoffKeys = `k1:${randomBytes(32).toString('base64url')}`

/** Puts so many pieces into the cart, and presses "Check out". */
async function order(buyer, choose) {
  const cart = await (await buyer.fetch('/cart')).text()
  const [, was = '0'] = /data-testid="line-thyme-tea" data-quantity="(\d+)"/.exec(cart) ?? []
  const quantity = choose(Number(was))
  if (quantity !== Number(was)) {
    await buyer.fetch('/cart', form({ product: 'thyme-tea', quantity, was }))
  }
  const page = await buyer.fetch('/orders', form())
  const [, orderId] =
    /^\/(?:pay|orders)\/([\w-]+)$/.exec(page.url.replace(/^https?:\/\/[^/]+/, '')) ?? []
  return orderId && { orderId, amount: amountOn(await page.text()) }
}

function amountOn(html) {
  const [, total = ''] = /data-testid="order-total">([^<]+)</.exec(html) ?? []
  return Number(total.replace(/[^\d.]/g, '')) * 100
}

/** @type {import('@pi-checkout/explorer').Adapter} */
export default {
  routes: { page: '/orders' },
  survivesRestart: true,
  settlesWithin: 3000,
  env: ({ folder }) => ({
    PI_HANDOFF_KEYS: handoffKeys,
    PI_SHOP_DATA: folder,
    PI_RECONCILE_MS: '100',
  }),
  begin: async (buyer) => await order(buyer, (quantity) => quantity || 1),
  edit: async (buyer) => await order(buyer, (quantity) => (quantity === 1 ? 2 : 1)),
  // Its page shows what is stored. Only its script lets the shop retrieve the intent.
  state: async (buyer, orderId) => {
    const html = await (await buyer.fetch(`/orders/${orderId}`)).text()
    const [, state = 'open'] = /data-testid="order-state" data-state="(\w+)"/.exec(html) ?? []
    return state !== 'paid' && html.includes('data-testid="stray-payment"') ? 'review' : state
  },
}
