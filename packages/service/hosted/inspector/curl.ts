/**
 * Requests as curl commands. They contain no credentials: the API key is read from an environment variable,
 * and the idempotency key is generated.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'

export function firstCreate(origin: string): string {
  return createCommand(origin, { amount: 150000, currency: 'AMD', orderId: 'A-1001' })
}

/** @param intent - The intent that the request created, if known: bodies are not stored. */
export function curlOf(
  { operation, method, path }: LoggedRequest,
  { origin, intent }: { readonly origin: string; readonly intent: PaymentIntent | undefined },
): string {
  if (operation === 'create') return createCommand(origin, intent && bodyOf(intent))
  const verb = method === 'GET' ? '' : ` -X ${method}`
  const key = operation === 'retrieve' ? ` \\\n  -H "Authorization: Bearer $PI_API_KEY"` : ''
  return `curl${verb} ${shellQuote(origin + path)}${key}`
}

function createCommand(origin: string, body: object | undefined): string {
  return [
    `curl ${shellQuote(`${origin}/payment-intents`)}`,
    `-H "Authorization: Bearer $PI_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-H "Idempotency-Key: $(uuidgen)"`,
    body ? `-d ${shellQuote(JSON.stringify(body))}` : `-d @body.json`,
  ].join(' \\\n  ')
}

function bodyOf({ amount, currency, orderId, customer, metadata }: PaymentIntent): object {
  return {
    amount,
    currency,
    orderId,
    ...(customer && { customer }),
    ...(metadata && { metadata }),
  }
}
