/** The two pages of a payment: the form and the confirmation. @module */

import { showCheckout } from './checkout-page.ts'
import { showConfirming } from './confirming-page.ts'
import { openPage } from './page.ts'
import { RequestError } from './request.ts'

void openPage(() => {
  const [, step, orderId] = /^\/(pay|confirming)\/([^/]+)$/.exec(location.pathname) ?? []
  if (!orderId) throw new RequestError(404)
  return step === 'pay' ? showCheckout(orderId) : showConfirming(orderId)
})
