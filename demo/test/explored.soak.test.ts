import { join } from 'node:path'
import { demoShop, root, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const explorer = join(root, 'packages/explorer/bin/pi-explore.mjs')
const adapter = join(root, 'demo/test/explorer-adapter.mjs')

test('no sequence of actions loses, doubles, or invents a payment', {
  timeout: 300_000,
}, async () => {
  const args = ['--adapter', adapter, '--runs', '15', '--', process.execPath, demoShop]
  const { code, output, errors } = await runProgram([explorer, ...args])
  expect(code, output + errors).toBe(0)
})
