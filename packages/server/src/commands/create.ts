/**
 * `pi-checkout create`: makes an intent, or finds the one that the same command made before.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { PaymentIntents } from '../client.ts'
import { masked } from '../mask.ts'
import { exitCodes } from './exit-codes.ts'
import { intentLine } from './intent-line.ts'
import { orderOptions, readOrder } from './order-options.ts'
import type { Command } from './terminal.ts'

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
  const { intent, handoff, replayed } = await intents.create(params, {
    idempotencyKey,
    signal,
  })
  const clientSecret = values.reveal ? handoff.clientSecret : masked
  if (json) {
    print(
      JSON.stringify({
        intent,
        handoff: { id: handoff.id, clientSecret },
        replayed,
        idempotencyKey,
      }),
    )
  } else {
    print(intentLine(intent))
    print(`  ${replayed ? 'made by an earlier, identical call' : 'new'}; key ${idempotencyKey}`)
    print(`  clientSecret ${clientSecret}${values.reveal ? '' : '; --reveal shows it'}`)
  }
  return exitCodes.done.code
}
