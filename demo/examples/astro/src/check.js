import { checkout } from './shop.js'

// `npm start` loads this file before the server.
await checkout.start() // A missing variable, a wrong key or no service: now, not at the first buyer.
