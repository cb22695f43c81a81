/**
 * The npm entries as a shop bundles them for its page.
 *
 * @module
 */
import '../../src/define.ts'

export {
  CheckoutError,
  configureCheckout,
  PiCheckout,
  PiEvent,
  whenReady,
} from '../../src/index.ts'
