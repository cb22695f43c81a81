/** Requests as curl commands, which read the API key from an environment variable. @module */
import type { RequestToSend, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'

export function exampleCreate(): RequestToSend {
  return {
    method: 'POST',
    path: '/payment-intents',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: 'A-1001' }),
  }
}

export function curlOfCreate(origin: string): string {
  return curlOf(exampleCreate(), { origin, token: 'PI_API_KEY', renewsKey: true })
}

export function curlOfOutcome(origin: string, id: string, outcome: SimulatedOutcome): string {
  const path = `/_sandbox/intents/${id}/settle`
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', path, headers, body: JSON.stringify({ outcome }) }
  return curlOf(request, { origin, token: 'PI_ADMIN_TOKEN' })
}

/** Returns the command that sends a request, or sends it with a new idempotency key. */
export function curlOf(
  { method, path, headers, body }: RequestToSend,
  {
    origin,
    token,
    renewsKey = false,
  }: {
    readonly origin: string
    /** Environment variable of the credential. */
    readonly token: 'PI_API_KEY' | 'PI_ADMIN_TOKEN' | undefined
    readonly renewsKey?: boolean
  },
): string {
  const sent = Object.entries(headers).map(([name, value]) =>
    renewsKey && name === 'idempotency-key' ? newKey : `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  // A GET needs no name, and curl sends a body as POST.
  const isUsual = method === (body === null ? 'GET' : 'POST')
  const parts = [
    `curl${isUsual ? '' : ` -X ${method}`} ${shellQuote(origin + path)}`,
    ...(token ? [`-H "Authorization: Bearer $${token}"`] : []),
    ...sent,
    ...(body === null ? [] : [`--data-raw ${shellQuote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

const newKey = '-H "Idempotency-Key: $(uuidgen)"'
