/**
 * What a shop bundles for its own page.
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
