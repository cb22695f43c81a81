/** Another service of the specification: its own names, statuses, and errors, and no word about a replay. @module */
import type { Translate } from '../src/index.ts'
import { type FakeService, fakeService } from '../src/testing/fake-service.ts'

const statuses = {
  requires_payment_method: 'NEW',
  processing: 'PENDING',
  succeeded: 'PAID',
  failed: 'DEAD',
  canceled: 'VOID',
  expired: 'LAPSED',
}
const errors = { payment_intent_not_found: 'E404', idempotency_key_reused: 'E409' }

/** What its merchant writes. */
export const translate: Translate = ({ status, headers, body }) => {
  if (status >= 400) return { code: keyOf(errors, headers.get('X-Error')) }
  const createdAt = new Date(body.created).toISOString()
  return { ...body, status: keyOf(statuses, body.state), createdAt }
}

function keyOf(table: Readonly<Record<string, string>>, value: string | null): string | undefined {
  return Object.keys(table).find((key) => table[key] === value)
}

/** Starts it in memory, with the faults of `fakeService()`, and `translate` in its options. */
export function foreignService(): FakeService {
  const service = fakeService()
  const { fetch: ours, options } = service
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await ours(input, init)
    const text = await response
      .clone()
      .text()
      .catch(() => '')
    // Half of a body, and one that is not JSON, stay as they are.
    return /^\{".*\}$/.test(text) ? inItsForm(response, JSON.parse(text)) : response
  }
  return Object.assign(service, { fetch, options: { ...options, fetch, translate } })
}

function inItsForm({ ok, status }: Response, body: Record<string, unknown>): Response {
  const { code, id, amount, currency, orderId, customer, metadata, clientSecret } = body
  if (!ok) {
    const sent = code === 'idempotency_key_reused' ? 409 : status
    const error = new Map(Object.entries(errors)).get(String(code)) ?? 'E000'
    return new Response('No.', { status: sent, headers: { 'x-error': error } })
  }
  const state = new Map(Object.entries(statuses)).get(String(body.status))
  const created = Date.parse(String(body.createdAt))
  const specified = { id, amount, currency, orderId, customer, metadata, clientSecret }
  return Response.json({ ...specified, state, created }, { status: 200 })
}

export const describedServices: readonly (readonly [string, () => FakeService])[] = [
  ['our service', fakeService],
  ['another service', foreignService],
]
