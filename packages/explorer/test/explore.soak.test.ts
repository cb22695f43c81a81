import { runProgram } from '@pi-checkout/test-support/process'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type Adapter,
  type AdapterBuyer,
  type ExploreOptions,
  explore,
  type OrderRecord,
} from '../src/index.ts'
import adapter from './shops/adapter.mjs'
import { adapterFile, cli, command, oneProcess, shopWith } from './support/shop.ts'

test('plays a sequence again and returns what it broke', async () => {
  const replay = 'handoff.A.1 handoff.A.1'
  const { violation, sequences } = await explore({ ...shopWith('random-key'), replay })
  expect(sequences).toBe(1)
  expect(violation).toMatchObject({
    rule: 'double_payment',
    detail: expect.stringMatching(
      /^Intents pi_\w+ and pi_\w+ of order \w+ are both paid, 900 AMD each/,
    ),
    steps: [
      'Buyer A loads the page, which requests the handoff (also a reload, or another tab).',
      'Buyer A loads the page, which requests the handoff (also a reload, or another tab).',
    ],
    replay,
  })
})

test('gives a step what it needs first, and names the tab that exists', async () => {
  const { violation } = await explore({ ...oneProcess('paid-on-finish'), replay: 'finish.A.3' })
  expect(violation?.replay).toBe('finish.A.1')
})

test('returns a violation although no time is left to make it shorter', async () => {
  const time = 600_000
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => void timers.mockRestore())
  let found = 0
  const onProgress: ExploreOptions['onProgress'] = (progress) => {
    if (!progress.violation) return
    found = progress.sequences
    timers.mock.calls.find(([, delay]) => delay === time)?.[0]()
  }
  const shop = oneProcess('paid-on-query')
  const { violation, sequences } = await explore({ ...shop, time, onProgress })
  expect([violation?.rule, sequences]).toEqual(['fulfilled_unpaid', found])
})

test('says what it could not check', async () => {
  const { notChecked } = await explore({
    command,
    adapter: { env: (sequence) => adapter.env?.(sequence) ?? {} },
    replay: '',
  })
  expect(notChecked).toEqual([
    'orders that are edited (edit)',
    'what the page sends after pi-finish (finish)',
    'restarts of the shop (survivesRestart)',
    'several instances of the shop (instances)',
    'payments of buyers who do not come back (state)',
    'payments that need a review (reviews)',
    'double fulfilment (fulfilments)',
  ])
})

test('a shop that exits during a request of its adapter breaks a rule', async () => {
  const { adapter: used, ...shop } = shopWith('exits')
  const record = async (buyer: AdapterBuyer): Promise<OrderRecord> =>
    JSON.parse(await (await buyer.fetch('/edit', { body: 'no JSON' })).text())
  const adapter = { ...used, record }
  const { violation } = await explore({ ...shop, adapter, replay: 'handoff.A.1' })
  expect(violation?.rule).toBe('shop_exited')
})

test('a shop that is killed after it has shipped may take a minute to say that it is paid', async () => {
  const { command, adapter } = oneProcess('')
  const env: Adapter['env'] = (sequence) => ({ ...adapter?.env?.(sequence), MAILS: 'yes' })
  const shop = { command, adapter: { ...adapter, env, survivesRestart: true } }
  // Its record says so before the helper has stored that the hook returned. The next order is another purchase.
  for (const replay of ['handoff.A.1 crash.A.1', 'handoff.A.1 crash.A.1 handoff.A.1']) {
    const { violation } = await explore({ ...shop, replay })
    expect(violation).toBeUndefined()
  }
})

test('rejects a shop that does not start or has no handoff', async () => {
  const node = (code: string) => explore({ command: [process.execPath, '-e', code], runs: 1 })
  await expect(node('console.error("no database"); process.exit(3)')).rejects.toThrow(
    'The shop exited before it responded:\nno database',
  )
  await expect(
    node('http.createServer((_, r) => r.writeHead(404).end()).listen(process.env.PORT)'),
  ).rejects.toThrow('The handoff returned 404 and no { id, clientSecret }.')
  await expect(explore({ command: ['no-such-program'] })).rejects.toThrow(
    'Cannot run no-such-program',
  )
})

test('the command prints the violation, and exits with 1', async () => {
  const options = ['--adapter', adapterFile, '--replay', 'handoff.A.1 handoff.A.1']
  const ran = await runProgram([cli, ...options, '--', ...command], {
    env: { MISTAKE: 'random-key' },
  })
  expect(ran.code).toBe(1)
  expect(ran.output).toMatch(/^The buyer paid twice for one order\. \(double_payment\)\n/)
  expect(ran.output).toContain('\n  2. Buyer A loads the page')
  expect(ran.output).toContain("--replay 'handoff.A.1 handoff.A.1'")
  expect(ran.output).not.toMatch(/pi_sk_test_|_secret_/)
  expect(ran.errors).toBe('')
})

test('the command ends with what a clean search covered', async () => {
  const args = ['--adapter', adapterFile, '--replay', 'handoff.A.1']
  const ran = await runProgram([cli, ...args, '--', ...command])
  const covered = /No violation: 1 sequence in \d+ seconds?\. .*\n$/
  expect([ran.code, ran.output]).toEqual([0, expect.stringMatching(covered)])
})

test.each([
  [['--runs', '0'], '--runs: must be a whole number from 1, not 0.'],
  [['--bogus'], "Unknown option '--bogus'.\n\nUsage:"],
  [['--adapter', adapterFile.replace('adapter', 'none')], 'none.mjs does not exist.'],
])('the command rejects %j with exit code 2', async (args, message) => {
  const ran = await runProgram([cli, ...args, '--', ...command])
  expect([ran.code, ran.output]).toEqual([2, ''])
  expect(ran.errors).toContain(message)
})

test('a search that ends while the shop starts is no success', async () => {
  const begin = performance.now()
  const ran = await runProgram([cli, '--time', '1', '--', 'sleep', '60'])
  expect([ran.code, ran.output]).toEqual([2, ''])
  expect(ran.errors).toContain('The time ended before the first sequence.')
  expect(performance.now() - begin).toBeLessThan(40_000)
})
