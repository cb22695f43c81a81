import { join } from 'node:path'

const record = async (buyer, orderId) =>
  await (await buyer.fetch(`/record?orderId=${orderId}`)).json()

/** @type {import('@pi-checkout/explorer').Adapter} */
export default {
  survivesRestart: true,
  settlesWithin: 2000,
  env: ({ folder }) => ({ ORDERS: join(folder, 'orders.json') }),
  begin: async (buyer) => {
    const html = await (await buyer.fetch('/')).text()
    return { orderId: /data-order="([^"]+)"/.exec(html)?.[1] }
  },
  edit: async (buyer) => {
    const response = await buyer.fetch('/edit', { body: '{}' })
    return response.ok ? await response.json() : undefined
  },
  finish: async (buyer, payment) => await buyer.fetch('/finish', { body: JSON.stringify(payment) }),
  state: async (buyer, orderId) => (await record(buyer, orderId)).state,
  fulfilments: async (buyer, orderId) => (await record(buyer, orderId)).shipped,
}
