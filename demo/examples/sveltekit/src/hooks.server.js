import { checkout } from './lib/server/shop.js'

/** SvelteKit calls it once, when the server starts: it finds a missing variable, a wrong key or no service. */
export const init = () => checkout.start()
