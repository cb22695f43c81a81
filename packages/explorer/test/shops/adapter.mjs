/** @type {import('@pi-checkout/explorer').Adapter} */
export default {
  survivesRestart: true,
  settlesWithin: 2000,
  env: ({ folder, origin }) => ({ DATABASE: folder, SHOP_ORIGIN: origin }),
  begin: async (buyer) => {
    const html = await (await buyer.fetch('/')).text()
    const [, orderId, amount] = /data-order="([^"]+)" data-amount="(\d+)"/.exec(html) ?? []
    return { orderId, amount: Number(amount), currency: 'AMD' }
  },
  edit: async (buyer) => {
    const items = [{ product: 'tea', price: 1500 }]
    const response = await buyer.fetch('/edit', { body: JSON.stringify({ items }) })
    return response.ok ? await response.json() : undefined
  },
  finish: async (buyer, payment) => await buyer.fetch('/finish', { body: JSON.stringify(payment) }),
  record: async (buyer, orderId) => {
    const response = await buyer.fetch(`/record?orderId=${orderId}`)
    return response.ok ? await response.json() : undefined
  },
}
