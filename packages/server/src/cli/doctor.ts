/** `pi-checkout doctor`: checks everything that a first payment needs. @module */
import { isLoopback } from '@pi-checkout/contract/origin'
import {
  checkedOrigin,
  environmentOf,
  readVariable,
  variableApiKey,
  variableBaseUrl,
} from '../client/configuration.ts'
import { PiError } from '../client/errors.ts'
import { PaymentIntents } from '../client/payment-intents.ts'
import { transportCode } from '../client/transport.ts'

export interface Finding {
  readonly name: string
  readonly result: 'OK' | 'FAIL' | 'SKIP'
  readonly detail: string
}

export async function doctor(): Promise<Finding[]> {
  const key = await check('PI_API_KEY', () => describeKey(variableApiKey()))
  const url = await check('PI_BASE_URL', () => `is ${variableBaseUrl()}`)
  const service = await check('service', checkService, [key, url])
  const origin = await check('PI_CHECKOUT_ORIGIN', () => `is ${checkoutOrigin()}`)
  const checkout = await check('checkout', checkCheckout, [origin])
  return [key, url, service, origin, checkout]
}

/**
 * @param run - Returns what it found, or rejects with what is wrong and its fix.
 * @param needed - The checks that must have passed before.
 */
async function check(
  name: string,
  run: () => string | Promise<string>,
  needed: readonly Finding[] = [],
): Promise<Finding> {
  if (needed.some(({ result }) => result !== 'OK')) {
    const names = needed.map((finding) => finding.name).join(' and ')
    return { name, result: 'SKIP', detail: `is not checked before ${names}` }
  }
  try {
    return { name, result: 'OK', detail: await run() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const advice = PiError.is(error) ? `. What to do: ${adviceOf(error)}.` : ''
    return { name, result: 'FAIL', detail: message.replace(`${name}: `, '') + advice }
  }
}

function adviceOf(error: PiError): string {
  const { advice } = error
  const isLocal = isLoopback(new URL(variableBaseUrl()).hostname)
  return isLocal && transportCode(error.cause) === 'ECONNREFUSED'
    ? 'start the service, such as with "npx pi-service start"'
    : advice
}

function describeKey(key: string): string {
  const environment = environmentOf(key)
  return environment ? `has the right format, for a ${environment.mode} environment` : 'is set'
}

async function checkService(): Promise<string> {
  const startedAt = performance.now()
  await new PaymentIntents({ maxRetries: 0 }).check()
  return `responds in ${Math.round(performance.now() - startedAt)} ms and accepts the key`
}

function checkoutOrigin(): string {
  const name = 'PI_CHECKOUT_ORIGIN'
  const value = readVariable(name, 'Set it to the origin of the hosted checkout.')
  return checkedOrigin(value, { name })
}

/** Fetches the element from the checkout. */
async function checkCheckout(): Promise<string> {
  const origin = checkoutOrigin()
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(`${origin}/v1/pi-checkout.js`, { signal }).catch((error) => {
    // Such as `ECONNREFUSED`, or `bad port`, which has no code.
    const cause = transportCode(error) ?? (error.cause ?? error).message
    const fix = 'Check PI_CHECKOUT_ORIGIN, and that the checkout runs.'
    throw new Error(`${origin} cannot be reached: ${cause}. ${fix}`)
  })
  await response.body?.cancel()
  const isScript = /javascript/.test(response.headers.get('content-type') ?? '')
  if (response.ok && isScript) return `${origin} serves the element`
  const fix = 'Set PI_CHECKOUT_ORIGIN to the origin that the service prints.'
  throw new Error(`${origin} has no /v1/pi-checkout.js: it is not the checkout. ${fix}`)
}
