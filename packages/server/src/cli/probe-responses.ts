/** Runs the two operations against a service, and observes how it fills the gaps of the specification. @module */
import type { ErrorMatch } from '@pi-checkout/contract/profile'
import { headers, routes } from '@pi-checkout/contract/routes'
import { valueAt } from '../client/error-meaning.ts'
import { newOrderId } from '../client/new-order-id.ts'
import { readText } from '../client/read-text.ts'

export interface ProbeTarget {
  readonly baseUrl: string
  readonly apiKey: string
  readonly currency: string
  /** A key of another merchant, if there is one. */
  readonly otherKey: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** `undefined` if it is no JSON. */
  readonly body: unknown
}

export type Observed = Extract<Awaited<ReturnType<typeof observe>>, { readonly id: string }>

/**
 * Sends about eight requests. Two intents of one minor unit remain, which stay unpaid.
 *
 * @returns The first response alone, if that create failed.
 */
export async function observe(target: ProbeTarget) {
  const { currency, otherKey } = target
  const order = { amount: 1, currency: currency.toLowerCase(), orderId: newOrderId() }
  const create = async (body: object, key: string = crypto.randomUUID()): Promise<Answer> =>
    await send(target, { body: JSON.stringify(body), key })
  const key = crypto.randomUUID()
  const first = await create(order, key)
  const id = stringAt(first, 'id')
  if (!isSuccess(first) || id === undefined) return first
  const full = { ...order, customer: { id: 'probe' }, metadata: { probe: 'yes' } }
  const retrieve = async (wanted: string, apiKey = target.apiKey): Promise<Answer> =>
    await send({ ...target, apiKey }, { id: wanted })
  return {
    id,
    currency,
    first,
    replay: await create(order, key),
    reused: await create({ ...order, amount: 2 }, key),
    invalid: await create({ ...order, amount: 0 }),
    full: await create({ ...full, orderId: newOrderId() }),
    retrieved: await retrieve(id),
    unknown: await retrieve(other(id)),
    wrongKey: await retrieve(id, other(target.apiKey)),
    foreign: otherKey === undefined ? undefined : await retrieve(id, otherKey),
  }
}

/** Returns whether the service has executed the request. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

export function stringAt({ body }: Answer, name: string): string | undefined {
  const value: unknown = Reflect.get(Object(body), name)
  return typeof value === 'string' ? value : undefined
}

/** Returns how an error response is recognized. */
export function matchOf({ status, body }: Answer, pointer: string | null): ErrorMatch {
  const code = valueAt(body, pointer)
  return typeof code === 'string' ? { status, code } : { status }
}

/** Returns another id or key in the same format. */
function other(value: string): string {
  return `${value.slice(0, -4)}${value.endsWith('0') ? '1111' : '0000'}`
}

async function send(
  { baseUrl, apiKey }: Pick<ProbeTarget, 'baseUrl' | 'apiKey'>,
  request: { readonly id: string } | { readonly body: string; readonly key: string },
): Promise<Answer> {
  const { create, retrieve } = routes
  const isRead = 'id' in request
  const path = isRead ? retrieve.path.replace(':id', encodeURIComponent(request.id)) : create.path
  const response = await fetch(baseUrl + path, {
    method: isRead ? retrieve.method : create.method,
    headers: {
      [headers.authorization]: `Bearer ${apiKey}`,
      ...(!isRead && {
        [headers.contentType]: 'application/json',
        [headers.idempotencyKey]: request.key,
      }),
    },
    ...(!isRead && { body: request.body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  }).catch((cause: unknown) => {
    throw new TypeError(`${new URL(baseUrl).origin} cannot be reached. Check PI_BASE_URL.`, {
      cause,
    })
  })
  const content = response.body ? await readText(response.body, 256 * 1024) : ''
  let body: unknown
  try {
    body = JSON.parse(content ?? '')
  } catch {
    body = undefined
  }
  return { status: response.status, headers: response.headers, body }
}
