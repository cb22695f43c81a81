/**
 * The two pages of a payment: the form, and the question whether it was paid.
 *
 * @module
 */
import { AskError } from './ask.ts'
import { showCheckout } from './checkout-page.ts'
import { showConfirming } from './confirming-page.ts'
import { openPage } from './page.ts'

void openPage(() => {
  const [, step, orderId] = /^\/(pay|confirming)\/([^/]+)$/.exec(location.pathname) ?? []
  if (!orderId) throw new AskError(404)
  return step === 'pay' ? showCheckout(orderId) : showConfirming(orderId)
})
