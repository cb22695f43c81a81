/**
 * The stand-in issuer's page: the form works without this script, which only keeps a second press
 * from spending a spent token and wakes the hosted page when the issuer is done.
 *
 * The result goes from the issuer to the service; the message carries none.
 *
 * @module
 */
import { readableMoney } from '../money-text.ts'

const amount = document.querySelector('[data-amount]')
if (amount) amount.textContent = readableMoney(amount.textContent)

const form = document.querySelector('form')

form?.addEventListener('submit', (event) => {
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'yes'
})

if (document.querySelector('[data-done]') && window.parent !== window) {
  // The result is no secret from any parent, because there is none in here.
  window.parent.postMessage({ pi: 'challenge', t: 'done' }, '*')
}
