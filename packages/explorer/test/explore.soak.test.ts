import { runProgram } from '@pi-checkout/test-support/process'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Adapter, AdapterBuyer, OrderRecord } from '../src/adapter.ts'
import { type ExploreOptions, explore } from '../src/explore.ts'
import { adapterFile, cli, command, shopWith } from './support/shop.ts'

test('gives a step what it needs first, and names the tab that exists', async () => {
  const { violation } = await explore({ ...shopWith('paid-on-finish'), replay: 'finish.A.3' })
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
  const shop = { ...shopWith('paid-on-query'), time, onProgress }
  const { violation, sequences } = await explore(shop)
  expect([violation?.rule, sequences]).toEqual(['false_paid', found])
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
  const { adapter, ...options } = shopWith('')
  const env: Adapter['env'] = (sequence) => ({ ...adapter.env?.(sequence), MAILS: 'yes' })
  const shop = { ...options, adapter: { ...adapter, env } }
  // Its record says so before the helper has stored that the hook returned. The next order is another purchase.
  for (const replay of ['handoff.A.1 crash.A.1', 'handoff.A.1 crash.A.1 handoff.A.1']) {
    const { violation } = await explore({ ...shop, replay })
    expect(violation).toBeUndefined()
  }
})

test('a shop whose database is slow breaks no rule', async () => {
  const { violation } = await explore({ ...shopWith('slow'), replay: 'handoff.A.1 handoff.B.1' })
  expect(violation).toBeUndefined()
})

test.each([
  [['no-such-program'], 'Cannot run no-such-program'],
  [
    ['node', '-e', 'console.error("no database"); process.exit(3)'],
    'The shop exited before it responded:\nno database',
  ],
  [
    ['node', '-e', 'http.createServer((_, r) => r.writeHead(404).end()).listen(process.env.PORT)'],
    'The handoff returned 404 and no { id, clientSecret }.',
  ],
])('rejects a shop that cannot be explored: %s', async (command, message) => {
  await expect(explore({ command, adapter: {}, time: 60_000 })).rejects.toThrow(message)
})

test('the command prints the violation, and exits with 1', async () => {
  const options = ['--adapter', adapterFile, '--replay', 'handoff.A.1 handoff.A.1']
  const ran = await runProgram([cli, ...options, '--', ...command], {
    env: { MISTAKE: 'random-key' },
  })
  expect(ran.code).toBe(1)
  expect(ran.output).toMatch(/^The buyer paid twice for one order\. \(double_payment\)\n/)
  expect(ran.output).toMatch(/\nIntents pi_\w+ and pi_\w+ of order \w+ are both paid, 900 AMD each/)
  expect(ran.output).toContain('\n  2. Buyer A loads the page')
  expect(ran.output).toContain("--replay 'handoff.A.1 handoff.A.1'")
  expect(ran.output).not.toMatch(/pi_sk_test_|_secret_/)
  expect(ran.errors).toBe('')
})

test('the command ends with what a clean search covered', async () => {
  const args = ['--adapter', adapterFile, '--replay', 'handoff.A.1']
  const ran = await runProgram([cli, ...args, '--', ...command])
  const covered = 'No violation. Sequences: 1. No payment was lost, doubled, or invented.\n'
  expect([ran.code, ran.output]).toEqual([0, covered])
})

test.each([
  [['--time', '0'], '--time: must be a whole number of seconds from 1 to 999999, not 0.'],
  [['--bogus'], "Unknown option '--bogus'."],
  [['--replay', 'pay.E.1'], 'pay.E.1 is not a step.'],
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
