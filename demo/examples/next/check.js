import { checkout } from './shop.js'

// A missing variable, a wrong key or no service: now, not at the first buyer. Next.js itself would not end.
await checkout.start().catch((error) => {
  console.error(error)
  process.exit(1)
})
