import { checkout } from '../../../shop.js'

// A handoff is Request → Response: POST /checkout/handoff and GET /checkout/status.
export { checkout as GET, checkout as POST }
