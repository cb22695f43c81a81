import { checkout } from '../../../shop.js'

// A checkout is Request → Response: POST /checkout/handoff and GET /checkout/status.
export { checkout as GET, checkout as POST }
