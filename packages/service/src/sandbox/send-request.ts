/** Sends requests to this instance as a merchant's server does, so that log, lint, and faults see them. @module */
import { request } from 'node:http'
import { headers as names } from '@pi-checkout/contract'
import { z } from 'zod'
import type { RequestToSend, SentRequest } from '../../shared/sandbox-api.ts'
import type { Call } from '../http/call.ts'

const HeaderValue = z
  .string()
  .max(255)
  // Node.js sends no other characters.
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/)

export const RequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z.string().regex(/^\/payment-intents[!-~]{0,200}$/),
  headers: z.partialRecord(
    z.enum(['content-type', names.idempotencyKey, names.sandboxFault]),
    HeaderValue,
  ),
  body: z.string().nullable(),
}) satisfies z.ZodType<RequestToSend>

/** @param call - Request that asks for it. The address that it was sent to is an address of this instance. */
export async function sendRequest(
  { request: { socket } }: Call,
  { method, path, headers, body, apiKey }: RequestToSend & { readonly apiKey: string },
): Promise<SentRequest> {
  return await new Promise((resolve) => {
    const sent = request(
      {
        host: socket.localAddress,
        port: socket.localPort,
        method,
        path,
        timeout,
        agent: false,
        headers: {
          ...headers,
          authorization: `Bearer ${apiKey}`,
          ...(body !== null && { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const { [names.requestId]: requestId, location } = response.headers
        const intentId = location?.split('/').at(-1) ?? null
        const status = response.statusCode ?? 0
        response.resume().once('close', () => {
          resolve({ status, requestId: String(requestId), intentId })
        })
      },
    )
    sent.once('timeout', () => sent.destroy())
    // A fault can close the connection.
    sent.once('error', () => resolve({ status: 0, requestId: null, intentId: null }))
    sent.end(body)
  })
}

/** In milliseconds without data. */
const timeout = 10_000
