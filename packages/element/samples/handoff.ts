/**
 * Requests the handoff from the shop's server. Each framework's sample uses it.
 *
 * @module
 */

/** The two values for the element. */
export interface Handoff {
  readonly id: string
  readonly clientSecret: string
}

/** Requests the handoff in the browser, so that no server renders the secret. */
export async function requestHandoff(): Promise<Handoff> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/checkout/handoff', { method: 'POST', headers, body: '{}' })
  if (!response.ok) throw new Error(`POST /checkout/handoff returned ${response.status}`)
  return response.json()
}
