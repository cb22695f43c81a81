import { expect, test } from 'vitest'
import { explore } from '../src/index.ts'

test('rejects a search without a command, with an unknown step, or with an unknown part', async () => {
  const command = ['node', 'shop.mjs']
  await expect(explore({ command: [] })).rejects.toThrow('command: must be')
  await expect(explore({ command, replay: 'pay.E.1' })).rejects.toThrow('pay.E.1 is not a step.')
  const adapter: object = { fulfillments: async () => 1 }
  await expect(explore({ command, adapter })).rejects.toThrow(
    'adapter.fulfillments: is not a part of an adapter. The parts are routes, ',
  )
})
