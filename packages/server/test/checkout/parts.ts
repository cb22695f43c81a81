/** The core of the checkout, as the model plays it: also bundled without one of its rules. @module */
export { DueOrders } from '../../src/checkout/due-orders.ts'
export { handOut, readStatus, resolve } from '../../src/checkout/order-payments.ts'
export { Records } from '../../src/checkout/records.ts'
