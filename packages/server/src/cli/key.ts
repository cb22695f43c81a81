/** `pi-checkout key`: shows the key that a create would send, and what it is derived from. @module */
import { parseArgs } from 'node:util'
import { prepareCreate } from '../client/idempotency-key.ts'
import { type Command, exitCodes, jsonLine } from './exit-codes.ts'
import { orderOptions, readOrder } from './order-options.ts'

export const key: Command = async (args, { print, json }) => {
  const { values } = parseArgs({ args, options: orderOptions })
  const { params, attempt } = readOrder(values)
  const { namespace = '' } = values
  const prepared = await prepareCreate(params, { attempt, namespace })
  if (json) {
    const covers = { v: 1, op: 'create', namespace, attempt, body: prepared.body }
    print(jsonLine({ idempotencyKey: prepared.key, covers }))
    return exitCodes.done.code
  }
  print(prepared.key)
  print(`  body       ${prepared.bytes}`)
  print(`  attempt    ${attempt}`)
  print(`  namespace  ${namespace === '' ? '(none)' : namespace}`)
  print('  The same order, attempt, and body always have this key. Any change creates another key.')
  return exitCodes.done.code
}
