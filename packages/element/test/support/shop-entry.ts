/** The npm entries as a shop bundles them for its page. @module */
export { followPayment, HandoffError, postHandoff } from '../../src/client/index.ts'
export {
  CheckoutError,
  configureCheckout,
  defineCheckout,
  PiCheckout,
  PiEvent,
  whenReady,
} from '../../src/index.ts'
