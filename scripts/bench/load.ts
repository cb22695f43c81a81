/** Requests to a server, as fast as it responds. @module */
import autocannon, { type Request } from 'autocannon'

/** Requests at the same time. */
export const connections = 32

interface Load {
  readonly count: number
  /** By default with POST and JSON. */
  readonly request: (index: number) => Request
  readonly onBody?: (body: string) => void
}

/** @returns Requests per second. @throws {Error} If one was not successful. */
export async function load(url: string, { count, request, onBody }: Load): Promise<number> {
  let next = 0
  const setupRequest = (defaults: Request): Request => {
    const { headers, ...rest } = request(next++)
    const json = { 'content-type': 'application/json' }
    return { ...defaults, method: 'POST', ...rest, headers: { ...json, ...headers } }
  }
  const { duration, errors, non2xx } = await autocannon({
    url,
    connections: Math.min(count, connections),
    amount: count,
    requests: [{ setupRequest, onResponse: (_status, body) => onBody?.(body) }],
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} were rejected, and ${errors} failed.`)
  return count / duration
}

/** What a shop without a client does. */
export async function createByFetch(baseUrl: string, orderId: string) {
  const response = await fetch(`${baseUrl}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer bench-key',
      'content-type': 'application/json',
      'idempotency-key': orderId,
    },
    body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId }),
  })
  return (await response.json()) as Record<'id' | 'clientSecret', string>
}
