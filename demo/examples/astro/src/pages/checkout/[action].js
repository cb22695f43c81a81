import { checkout } from '../../shop.js'

// A checkout is Request → Response: POST /checkout/handoff and GET /checkout/status.
export const ALL = ({ request }) => checkout(request)
