/** Requests id and secret for the buyer's current order. */
export async function requestHandoff() {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/checkout/handoff', { method: 'POST', headers, body: '{}' })
  const { id, clientSecret, title } = await response.json()
  if (!response.ok) throw new Error(title)
  return { intentId: id, clientSecret }
}

/** Polls until the payment is no longer processing: `paid`, `failed`, `open`, or `unknown`. */
export async function pollState() {
  for (;;) {
    const { phase } = await (await fetch('/checkout/status')).json()
    if (phase !== 'processing') return phase
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}
