/** `pi-checkout create`: creates an intent, or returns the one that the same command created before. @module */
import { parseArgs } from 'node:util'
import { PaymentIntents } from '../client/payment-intents.ts'
import { masked } from '../client/redact.ts'
import { type Command, exitCodes, jsonLine } from './exit-codes.ts'
import { formatIntent } from './format-intent.ts'
import { orderOptions, readOrder } from './order-options.ts'

export const create: Command = async (args, { print, json, signal }) => {
  const { values } = parseArgs({
    args,
    options: {
      ...orderOptions,
      'idempotency-key': { type: 'string' },
      reveal: { type: 'boolean' },
    },
  })
  const { params, attempt } = readOrder(values)
  const { namespace, 'idempotency-key': given } = values
  const intents = new PaymentIntents({ namespace })
  const idempotencyKey = given ?? (await intents.keyFor(params, { attempt }))
  const { intent, handoff, replayed } = await intents.create(params, { idempotencyKey, signal })
  const clientSecret = values.reveal ? handoff.clientSecret : masked
  if (json) {
    const shown = { id: handoff.id, clientSecret }
    print(jsonLine({ intent, handoff: shown, replayed, idempotencyKey }))
  } else {
    print(formatIntent(intent))
    print(`  ${replayed ? 'created by an earlier, identical call' : 'new'}; key ${idempotencyKey}`)
    print(`  clientSecret ${clientSecret}${values.reveal ? '' : '; pass --reveal to show it'}`)
  }
  return exitCodes.done.code
}
