import { checkout } from '../../utils/shop.js'

// A checkout is Request → Response: POST /checkout/handoff and GET /checkout/status.
export default defineEventHandler((event) => checkout(toWebRequest(event)))
