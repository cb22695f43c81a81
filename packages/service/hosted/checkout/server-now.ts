/**
 * The service's time, which decides whether a card has expired: the buyer's clock may be wrong.
 *
 * @module
 */

/** The time at the service, in milliseconds since 1970: what it wrote into the page, and what passed. */
export function serverNow(): number {
  const written = Date.parse(document.documentElement.dataset.now ?? '')
  return Number.isNaN(written) ? Date.now() : written + performance.now()
}
