import { join } from 'node:path'
import { chromiumPath } from '@pi-checkout/test-support/browsers'
import { piService, root, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const repeat = process.env.PI_REPEAT ?? '2'

test('four workers at one service, each with its own environment and clock, do not disturb each other', async () => {
  const config = join(root, 'packages/element/test/environments/playwright.config.ts')
  const playwright = join(root, 'node_modules/.bin/playwright')
  const command = [playwright, 'test', '--config', config, '--workers=4', '--repeat-each', repeat]
  const { code, output, errors } = await runProgram([piService, 'exec', '--', ...command], {
    env: { CHROMIUM_PATH: await chromiumPath(), NODE_OPTIONS: '', VITEST: undefined },
  })
  expect(code, output + errors).toBe(0)
  expect(output).toContain(`${3 * Number(repeat)} passed`)
}, 300_000)
