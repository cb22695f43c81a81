/**
 * `pi-checkout get`: shows an intent, once or until it is final.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { isFinal, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { PaymentIntents } from '../client/payment-intents.ts'
import { type Command, exitCodes } from './exit-codes.ts'
import { formatIntent } from './format-intent.ts'

export const get: Command = async (args, { print, json, signal }) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      watch: { type: 'boolean' },
      deadline: { type: 'string' },
      json: { type: 'boolean' },
    },
  })
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new TypeError('ID: must be one id, such as pi_….')
  const intents = new PaymentIntents()
  const show = (intent: PaymentIntent): void =>
    print(json ? JSON.stringify(intent) : formatIntent(intent))
  if (!values.watch) {
    show(await intents.retrieve(id, { signal }))
    return exitCodes.done.code
  }
  let printed: string | undefined
  const last = await intents.waitUntil(
    id,
    (intent) => {
      const version = intent.updatedAt + intent.status
      if (version !== printed) show(intent)
      printed = version
      return isFinal(intent.status)
    },
    { signal, deadline: readSeconds(values.deadline ?? '600') },
  )
  return phaseOf(last.status) === 'paid' ? exitCodes.done.code : exitCodes.unpaid.code
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds > 0) return seconds * 1000
  throw new TypeError('--deadline: must be a whole number of seconds, such as 600.')
}
