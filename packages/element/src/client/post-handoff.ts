/** The request for a handoff, for `fetchHandoff`. @module */
import type { OrderHandoff } from '../handoff.ts'
import type { OrderRequest } from './fetch-status.ts'
import { requestJson } from './request-json.ts'

/**
 * Requests the handoff from your server.
 *
 * @param url - Your handoff route: a path, or an address of another origin that your server permits.
 * @param options - `orderId` and `signal`.
 * @throws {ShopError} If the server returns an error.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * pay.fetchHandoff = (options) => postHandoff('https://api.shop.example/checkout/handoff', options)
 */
export async function postHandoff(url: string, options?: OrderRequest): Promise<OrderHandoff> {
  // The element checks all three values.
  return (await requestJson('POST', url, options)) as unknown as OrderHandoff
}
