/** A buyer at the test bank. @module */
import type { ChallengeTicket, HostedPage } from '@pi-checkout/test-support/http-buyer'

/** Posts a form to the test bank, as a browser does from a page with `no-referrer`. */
export async function submit(url: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { origin: 'null' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

/** Opens the code form and returns its one-time token. */
export async function enter({ url, token }: ChallengeTicket): Promise<string> {
  return tokenIn(await (await submit(url, { token, locale: 'en' })).text())
}

/** Pays with a card, opens the challenge, and its code form. */
export async function challenge(page: HostedPage, number = '4000000000003220') {
  await page.pay(number)
  const ticket = await page.openChallenge()
  return { page, ticket, token: await enter(ticket) }
}

/** Returns the one-time token of a code form. */
export function tokenIn(html: string): string {
  return /name="token" value="([\w.-]+)"/.exec(html)?.[1] ?? ''
}

/** Submits a code, or `cancel`. */
export async function answer({ url }: ChallengeTicket, token: string, code: string) {
  const fields = code === 'cancel' ? { action: code } : { code, action: 'confirm' }
  return await submit(`${url}/answer`, { token, ...fields })
}
