/**
 * Whether an order is paid: the shop's own server knows, and nobody else.
 *
 * @module
 */
import { ask } from './ask.ts'

/** Integration 5 of 5: asks the shop, which asks the service and compares the answer with the order. */
export async function askForState(orderId: string): Promise<string> {
  const query = new URLSearchParams({ orderId })
  const answer = await ask<{ state: string }>(`/checkout/status?${query}`).catch(() => undefined)
  return answer?.state ?? 'unknown'
}
