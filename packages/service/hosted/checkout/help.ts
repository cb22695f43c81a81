/** What a failure means for the merchant's developer. On the console of test environments only. @module */
import type { Failure } from './checkout-client.ts'

/** Returns code, cause, and fix of an error. Every error but a `Failure` is a missing response. */
export function helpFor(error: unknown): string {
  const { code, detail, requestId } = isFailure(error) ? error : noResponse
  if (code === 'no_response' && !navigator.onLine) return 'pi-checkout: The browser is offline.'
  const fix =
    fixes.get(code) ?? (requestId ? `The log of the service has request ${requestId}.` : '')
  return `pi-checkout: ${code}. ${detail} ${fix}`.trim()
}

const noResponse: Failure = {
  code: 'no_response',
  detail: `No response from ${location.origin}.`,
}

/** A browser's error has a `code` too: that of an abort is 20. */
function isFailure(error: unknown): error is Failure {
  return typeof (Object(error) as Partial<Failure>).detail === 'string'
}

const parentOrigin = new URL(document.referrer || location.href).origin
const newHandoff = 'Pass id and clientSecret of a new handoff unchanged.'
const fixes: ReadonlyMap<string, string> = new Map([
  ['no_response', 'Check that the service is running.'],
  ['rate_limited', 'PI_RATE_LIMIT of the service sets the limit.'],
  ['origin_not_allowed', `Run: npx pi-service origins add ${parentOrigin}`],
  ['payment_intent_not_found', newHandoff],
  ['unauthorized', newHandoff],
])

/** Enough for a developer. A hostile page may cause any number of reports. */
const maxReports = 50
const reported = new Set<string>()

function isTestMode(): boolean {
  return document.documentElement.dataset.mode === 'test'
}

/** Prints a text for the merchant's developer once. */
export function report(level: 'error' | 'warn', text: string): void {
  if (!isTestMode() || reported.has(text) || reported.size === maxReports) return
  reported.add(text)
  // biome-ignore lint/suspicious/noConsole: for the developer of the merchant's page
  console[level](text)
}
