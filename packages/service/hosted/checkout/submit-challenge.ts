/** Opens the issuer's page with a one-time token. @module */
import type { ChallengeTicket } from '../../shared/checkout-api.ts'

/** Posts the token as a form field, because addresses are stored and logged. */
export function submitChallenge(
  { url, token }: ChallengeTicket,
  { target, locale }: { readonly target: string; readonly locale: string },
): void {
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action: url, target, hidden: true })
  for (const [name, value] of Object.entries({ token, locale })) {
    const input = document.createElement('input')
    form.append(Object.assign(input, { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
