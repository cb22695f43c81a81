/**
 * `pi-checkout doctor`: says what stands between this machine and a first payment.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { PaymentIntents } from '../client.ts'
import { checkedOrigin, variableApiKey, variableBaseUrl } from '../configuration.ts'
import { PiError } from '../errors.ts'
import { createSeal } from '../sealed-handoff.ts'
import { exitCodes } from './exit-codes.ts'
import type { Command, Terminal } from './terminal.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export const doctor: Command = async (args, terminal) => {
  parseArgs({ args, options: { json: { type: 'boolean' } } })
  const settings = [
    check('PI_API_KEY', variableApiKey, () => 'is set and well formed'),
    check('PI_BASE_URL', variableBaseUrl, (url) => `is ${url}`),
  ]
  const checks = [
    ...settings,
    settings.every(({ ok }) => ok)
      ? await askService(terminal.signal)
      : { name: 'service', ok: false, detail: 'was not asked: set the variables above first' },
    await checkHandoffKeys(),
    check('PI_CHECKOUT_ORIGIN', readCheckoutOrigin, (origin) => `is ${origin}`),
  ]
  show(checks, terminal)
  return checks.every(({ ok }) => ok) ? exitCodes.done.code : exitCodes.failed.code
}

function check<T>(name: string, read: () => T, detail: (value: T) => string): Check {
  try {
    return { name, ok: true, detail: detail(read()) }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error, name) }
  }
}

/** An id that nobody has: "no such intent" shows that address and key are right. */
async function askService(signal: AbortSignal): Promise<Check> {
  const began = performance.now()
  try {
    await new PaymentIntents({ attempts: 1 }).retrieve('pi_doctor', { signal })
  } catch (error) {
    const reached = error instanceof PiError && error.code === 'payment_intent_not_found'
    if (!reached) return { name: 'service', ok: false, detail: adviceOf(error) }
  }
  const ms = Math.round(performance.now() - began)
  return { name: 'service', ok: true, detail: `answers in ${ms} ms and takes the key` }
}

async function checkHandoffKeys(): Promise<Check> {
  const name = 'PI_HANDOFF_KEYS'
  try {
    await createSeal({ origin: 'https://shop.invalid', keys: undefined, clock: Date.now })
    return { name, ok: true, detail: 'is set and well formed' }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error, name) }
  }
}

function readCheckoutOrigin(): string {
  const value = process.env.PI_CHECKOUT_ORIGIN
  if (value) return checkedOrigin(value, 'PI_CHECKOUT_ORIGIN')
  throw new TypeError(
    'PI_CHECKOUT_ORIGIN: is not set. It is the origin of the hosted checkout, which pages give to configureCheckout(); the local sandbox prints it as "checkoutOrigin" when "npx pi-service start --json" starts.',
  )
}

function adviceOf(error: unknown): string {
  return error instanceof PiError
    ? `${error.message}; ${error.advice}`
    : messageOf(error, 'service')
}

function messageOf(error: unknown, name: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

function show(checks: readonly Check[], { print, json }: Terminal): void {
  if (json) {
    print(JSON.stringify({ ok: checks.every(({ ok }) => ok), checks }))
    return
  }
  for (const { name, ok, detail } of checks) print(`${ok ? 'ok  ' : 'FAIL'}  ${name} ${detail}`)
}
