/**
 * The service's time. It decides whether a card has expired, because the buyer's clock may be wrong.
 *
 * @module
 */

/** Returns the service's time in milliseconds since 1970: the time in the page plus the time since it loaded. */
export function serverNow(): number {
  const written = Date.parse(document.documentElement.dataset.now ?? '')
  return Number.isNaN(written) ? Date.now() : written + performance.now()
}
