/** What a buyer does on the hosted page, over the service's checkout API. @module */
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import type { Handoff } from './ledger.ts'

/** Card numbers of the sandbox, by what they lead to. */
const cards = {
  succeeds: '4242424242424242',
  declined: '4000000000000002',
  stolen: '4000000000009979',
  challenge: '4000000000003220',
  pending: '4000000000000077',
} as const

/** What a buyer does: one of the cards, or the button Cancel. */
export type Payment = keyof typeof cards | 'canceled'

/**
 * Opens the hosted page, and pays, or cancels.
 *
 * @returns The status, or `undefined` if the service rejected it.
 */
export async function payOnHostedPage(
  { id, clientSecret }: Handoff,
  payment: Payment,
  site: { readonly checkoutOrigin: string; readonly origin: string },
): Promise<string | undefined> {
  const { checkoutOrigin, origin } = site
  const page = new HostedPage({ url: checkoutOrigin, shopOrigin: origin })
  const opened = await page.post('session', { id, clientSecret, origin })
  const { token } = await bodyOf<{ token: string }>(opened)
  if (token === undefined) return undefined
  page.token = token
  const response =
    payment === 'canceled' ? await page.post('cancel', {}) : await page.pay(cards[payment])
  return (await bodyOf<{ status: string }>(response)).status
}

async function bodyOf<Body>(response: Response): Promise<Partial<Body>> {
  const body: unknown = await response.json()
  return response.ok ? (body as Body) : {}
}
