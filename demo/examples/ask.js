/** Asks the shop for the pair of the buyer's current order. */
export async function askHandoff() {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/checkout/handoff', { method: 'POST', headers, body: '{}' })
  const { id, clientSecret, title } = await answer.json()
  if (!answer.ok) throw new Error(title)
  return { intentId: id, clientSecret }
}

/** Asks until the payment is no longer under way: `paid`, `failed`, `open` or `unknown`. */
export async function askState() {
  for (;;) {
    const { state } = await (await fetch('/checkout/status')).json()
    if (state !== 'processing') return state
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}
