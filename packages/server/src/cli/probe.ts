/** Runs the two operations against a service, and observes how it fills the gaps of the specification. @module */
import type { Profile } from '@pi-checkout/contract/profile'
import { headers, routes } from '@pi-checkout/contract/routes'
import { newOrderId } from '../client/new-order-id.ts'
import { readText } from '../client/read-text.ts'
import { type Finding, findingsOf, row } from './probe-findings.ts'
import { profileOf } from './probe-profile.ts'
import { type Answer, isSuccess, type Observed, stringAt } from './probe-responses.ts'

/** Where to send the requests. */
export interface ProbeTarget {
  readonly baseUrl: string
  readonly apiKey: string
  readonly currency: string
  /** A key of another merchant, if there is one. */
  readonly otherKey?: string | undefined
}

/** What a probe has found. */
export interface ProbeResult {
  readonly findings: readonly Finding[]
  /** Without the phases that cannot be observed. `undefined` if the first create failed. */
  readonly profile: Profile | undefined
}

/** Sends about eight requests. Two intents of one minor unit remain, which stay unpaid. */
export async function probe(target: ProbeTarget): Promise<ProbeResult> {
  const { currency, otherKey } = target
  const order = { amount: 1, currency: currency.toLowerCase(), orderId: newOrderId() }
  const create = async (body: object, key: string = crypto.randomUUID()): Promise<Answer> =>
    await send(target, { body: JSON.stringify(body), key })
  const key = crypto.randomUUID()
  const first = await create(order, key)
  const id = stringAt(first, 'id')
  if (!isSuccess(first) || id === undefined) {
    const here = `${first.status}${id === undefined ? ', no id' : ''}`
    const meaning = 'nothing else was checked: check PI_BASE_URL, the key, and --currency'
    return { findings: [row('create', here, '201', meaning, true)], profile: undefined }
  }
  const full = { ...order, customer: { id: 'probe' }, metadata: { probe: 'yes' } }
  const observed: Observed = {
    id,
    currency: currency.toUpperCase(),
    first,
    replay: await create(order, key),
    reused: await create({ ...order, amount: 2 }, key),
    invalid: await create({ ...order, amount: 0 }),
    full: await create({ ...full, orderId: newOrderId() }),
    retrieved: await send(target, { id }),
    unknown: await send(target, { id: other(id) }),
    wrongKey: await send({ ...target, apiKey: other(target.apiKey) }, { id }),
    foreign:
      otherKey === undefined ? undefined : await send({ ...target, apiKey: otherKey }, { id }),
  }
  const profile = profileOf(observed)
  return { findings: findingsOf(observed, profile), profile }
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
