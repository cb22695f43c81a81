/**
 * The hosted page and the test bank without a service: the same pages, with planned responses. Its build is one document,
 * `fakeHostedPage()` of `@pi-checkout/element/testing`.
 *
 * @module
 */
import { bank, showBank } from './bank.ts'
import { answer, respond } from './planned-service.ts'

const send = window.fetch
window.fetch = (input, init) => respond(String(input), init) ?? send(input, init)

if (bank) {
  showBank(bank, answer)
  void import('../test-bank/main.ts')
} else {
  // Any page may frame it.
  document.documentElement.dataset.origins = new URL(document.referrer || location.href).origin
  void import('../checkout/main.ts')
}
