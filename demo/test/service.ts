/** A fake service with the two operations over HTTP, whose tests set the status of payments. @module */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startSite } from '@pi-checkout/test-support/sites'

export interface Intent {
  readonly id: string
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  status: string
  readonly [field: string]: unknown
}

export interface Service {
  readonly baseUrl: string
  /** Every intent, in the order of creation. */
  readonly intents: Intent[]
  /** Idempotency keys of all creates, replays included. */
  readonly keys: string[]
  /** Number of retrieves. */
  retrieved: number
  /** Creates wait for it before they respond. */
  held: Promise<void>
  close(): Promise<void>
}

/** Any key: this service does not check it. */
export const apiKey = 'sk_for_tests_only'

export async function startService(): Promise<Service> {
  const byKey = new Map<string, { intent: Intent; clientSecret: string }>()
  const { origin, close } = await startSite(async (req, res) => {
    if (req.method === 'POST') return create(req, res)
    service.retrieved++
    const intent = service.intents.find(({ id }) => req.url === `/payment-intents/${id}`)
    if (!intent) return respond(res, 404, { code: 'payment_intent_not_found' })
    respond(res, 200, intent)
  })
  const service: Service = {
    baseUrl: origin,
    intents: [],
    keys: [],
    retrieved: 0,
    held: Promise.resolve(),
    close,
  }
  return service

  async function create(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const key = String(req.headers['idempotency-key'])
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    service.keys.push(key)
    const known = byKey.get(key) ?? make(body)
    byKey.set(key, known)
    const { intent, clientSecret } = known
    await service.held
    respond(res, 201, { ...intent, status: 'requires_payment_method', clientSecret })
  }

  function make(body: { orderId: string; amount: number; currency: string; metadata?: object }) {
    const id = `pi_${service.intents.length + 1}`
    const at = new Date(0).toISOString()
    const intent: Intent = {
      ...{ id, status: 'requires_payment_method', customer: null, metadata: null, ...body },
      ...{ paymentMethod: null, lastPaymentFailure: null, nextAction: null },
      ...{ providerPaymentId: null, createdAt: at, updatedAt: at },
    }
    service.intents.push(intent)
    return { intent, clientSecret: `${id}_secret_for_tests` }
  }
}

function respond(res: ServerResponse, status: number, body: object): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  res.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}
