/** `pi-checkout get`: shows an intent, once or until it is final. @module */
import { parseArgs } from 'node:util'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { isFinal, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { PaymentIntents } from '../client/payment-intents.ts'
import { type Command, exitCodes, jsonLine } from './exit-codes.ts'
import { formatIntent } from './format-intent.ts'

export const get: Command = async (args, { print, json, signal }) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      watch: { type: 'boolean' },
      'total-timeout': { type: 'string' },
      json: { type: 'boolean' },
    },
  })
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new TypeError('ID: must be one id, such as pi_….')
  const intents = new PaymentIntents()
  const show = (intent: PaymentIntent): void =>
    print(json ? jsonLine({ intent }) : formatIntent(intent))
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
    { signal, totalTimeout: readDuration(values['total-timeout'] ?? '10m') },
  )
  return phaseOf(last.status) === 'paid' ? exitCodes.done.code : exitCodes.unpaid.code
}

function readDuration(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const ms = Number(digits) * (units[unit] ?? 0)
  if (ms > 0) return ms
  throw new TypeError(
    `--total-timeout: must be a number with ms, s, m or h, such as 30s or 10m; received ${JSON.stringify(text.slice(0, 60))}.`,
  )
}

/** Milliseconds. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
