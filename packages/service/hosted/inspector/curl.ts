/**
 * Requests as curl commands. They contain no credentials: the API key is read from an environment variable.
 *
 * @module
 */
import type { LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'

export function firstCreate(origin: string): string {
  const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }
  return lines([
    `curl ${shellQuote(`${origin}/payment-intents`)}`,
    apiKey,
    `-H 'Content-Type: application/json'`,
    newKey,
    `-d ${shellQuote(JSON.stringify(body))}`,
  ])
}

/** Returns the command that sends a logged request again, or with a new idempotency key. */
export function curlOf(
  { operation, method, path }: LoggedRequest,
  { headers, requestBody }: LoggedExchange,
  { origin, renewsKey = false }: { readonly origin: string; readonly renewsKey?: boolean },
): string {
  const sent = Object.entries(headers).map(([name, value]) =>
    renewsKey && name === 'idempotency-key' ? newKey : `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  // A GET needs no name, and curl sends a body as POST.
  const isUsual = method === (requestBody === null ? 'GET' : 'POST')
  return lines([
    `curl${isUsual ? '' : ` -X ${method}`} ${shellQuote(origin + path)}`,
    ...(operation === 'page' ? [] : [apiKey]),
    ...sent,
    ...(requestBody === null ? [] : [`--data-raw ${shellQuote(requestBody)}`]),
  ])
}

function lines(parts: readonly string[]): string {
  return parts.join(' \\\n  ')
}

const apiKey = '-H "Authorization: Bearer $PI_API_KEY"'
const newKey = '-H "Idempotency-Key: $(uuidgen)"'
