/** The responses of another service in the form of ours. @module */
import { phaseOf } from '@pi-checkout/contract/payment-status'

/** A response of another service to a create or a retrieve, a success or an error. */
export interface ServiceResponse {
  /** HTTP status. */
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** The parsed body; `undefined` if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON in a form that only the merchant knows, as of `Response.json()`
  readonly body: any
}

/**
 * Returns a response of another service in our form: an intent, or for an error an object with our `code`, such as
 * `payment_intent_not_found` or `idempotency_key_reused`. Throws if it does not understand the response.
 */
export type Translate = (response: ServiceResponse) => unknown

/** Returns the body of a response in our form, or why it has none. Only another service needs `translate`. */
export async function bodyInOurForm(
  { translate }: { readonly translate: Translate | undefined },
  { ok, status, headers }: Response,
  json: unknown,
): Promise<{ readonly body: unknown } | { readonly violation: string }> {
  if (!translate) return { body: json }
  try {
    const body: unknown = await translate({ status, headers, body: json })
    if (!isObject(body)) return { violation: 'translate returned no object' }
    return { body: ok ? intentInOurForm(body) : body }
  } catch (error) {
    // Its message may contain the response.
    const { name = 'no error', stack = '' } = error instanceof Error ? error : {}
    const [, place = ''] = /\n {4}(at .*)/.exec(stack) ?? []
    return { violation: `translate threw ${name} ${place}`.trimEnd() }
  }
}

/**
 * The fields that the specification names, those of which it names the role only, and the times.
 *
 * @see Payment Intents specification, §2.1
 */
const specified = ['id', 'amount', 'currency', 'orderId', 'clientSecret', 'customer', 'metadata']
const roles = ['paymentMethod', 'lastPaymentFailure', 'nextAction', 'providerPaymentId']
const names = [...specified, ...roles, 'createdAt', 'updatedAt']

/**
 * Returns an intent of another service with our fields only: another field may contain a secret. A field that the service
 * does not have is `null`, and a status that is not ours is `unknown`.
 */
function intentInOurForm(intent: object): object {
  const status: unknown = Reflect.get(intent, 'status')
  const isOurs = typeof status === 'string' && phaseOf(status) !== 'unknown'
  const fields = names.map((name) => [name, Reflect.get(intent, name) ?? null])
  return { ...Object.fromEntries(fields), status: isOurs ? status : 'unknown' }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
