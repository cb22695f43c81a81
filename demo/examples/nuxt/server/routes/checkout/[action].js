import { checkout } from '../../utils/shop.js'

// A handoff is Request → Response: POST /checkout/handoff and GET /checkout/status.
export default defineEventHandler((event) => checkout(toWebRequest(event)))
