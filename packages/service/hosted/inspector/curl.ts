/** Requests as curl commands, which read the API key from an environment variable. @module */
import { exampleIntent } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'

interface RequestToSend {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export function exampleCreate(): RequestToSend {
  return {
    method: 'POST',
    path: '/payment-intents',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(exampleIntent),
  }
}

/** @param hasKey - Whether the request was sent with an API key. */
export function curlOf({ method, path, headers, body }: RequestToSend, hasKey: boolean): string {
  // A GET needs no name, and curl sends a body as POST.
  const isUsual = method === (body === null ? 'GET' : 'POST')
  const parts = [
    `curl${isUsual ? '' : ` -X ${method}`} ${shellQuote(location.origin + path)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $PI_API_KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${shellQuote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}
