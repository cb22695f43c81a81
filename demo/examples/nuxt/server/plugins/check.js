import { checkout } from '../utils/shop.js'

/** Nitro calls it when the server starts, and does not wait: it finds a missing variable, a wrong key or no service. */
export default defineNitroPlugin(() => {
  checkout.start().catch((error) => {
    console.error(error)
    process.exit(1)
  })
})
