import { checkout } from '../../../lib/server/shop.js'

// A checkout is Request → Response: POST /checkout/handoff and GET /checkout/status.
export const GET = ({ request }) => checkout(request)
export const POST = GET
