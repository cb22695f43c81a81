/** Sends requests to this instance as a merchant's server does, so that log, lint, and faults see them. @module */
import { headers as names } from '@pi-checkout/contract'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { RequestToSend, SentRequest } from '../../shared/sandbox-api.ts'

// Node.js sends no other characters.
const HeaderValue = z
  .string()
  .max(255)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a header value')

export const RequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST'], 'must be GET or POST'),
  path: z
    .string()
    .regex(/^\/payment-intents[!-~]{0,200}$/, 'must be a path that begins with /payment-intents'),
  headers: z.partialRecord(
    z.enum(['content-type', names.idempotencyKey, names.sandboxFault]),
    HeaderValue,
  ),
  body: z.string().nullable(),
}) satisfies z.ZodType<RequestToSend>

/** In milliseconds. */
const timeout = 10_000

/** @param server - The instance that is to get the request. */
export async function sendRequest(
  { server }: FastifyRequest,
  { method, path, headers, body, apiKey }: z.output<typeof RequestSchema> & { apiKey: string },
): Promise<SentRequest> {
  try {
    const response = await server.inject({
      method,
      url: path,
      headers: { ...headers, authorization: `Bearer ${apiKey}` },
      ...(body !== null && { payload: body }),
      signal: AbortSignal.timeout(timeout),
    })
    const { [names.requestId]: requestId, location } = response.headers
    const intentId = location?.split('/').at(-1) ?? null
    return { status: response.statusCode, requestId: String(requestId), intentId }
  } catch {
    // A fault can close the connection.
    return { status: 0, requestId: null, intentId: null }
  }
}
