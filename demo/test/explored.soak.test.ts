import { join } from 'node:path'
import { demoShop, root, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const explorer = join(root, 'packages/explorer/bin/pi-explore.mjs')

test.each([
  ['the demo shop', demoShop, ['--adapter', join(root, 'demo/test/explorer-adapter.mjs')]],
  ['the shop of the examples', join(root, 'demo/examples/express.mjs'), []],
])(
  'in %s no sequence of actions loses, doubles, or invents a payment',
  { timeout: 300_000 },
  async (_, shop, options) => {
    const args = [...options, '--', process.execPath, shop]
    const { code, output, errors } = await runProgram([explorer, ...args])
    expect(code, output + errors).toBe(0)
  },
)
