import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '@pi-checkout/test-support/process'
import { startSite } from '@pi-checkout/test-support/sites'
import { expect, onTestFinished, test } from 'vitest'
import { type AdapterBuyer, explore, type OrderState } from '../src/index.ts'
import { adapterFile, command, shopWith } from './support/shop.ts'

const cli = fileURLToPath(new URL('../bin/pi-explore.mjs', import.meta.url))

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
    requests: expect.arrayContaining([
      { buyer: 'A', method: 'POST', path: '/checkout/handoff', status: 200, times: 1 },
    ]),
    replay,
  })
})

test('makes the same sequences from the same seed', async () => {
  const options = { ...shopWith('price-from-request'), runs: 30, seed: 7 }
  const [one, two] = [await explore(options), await explore(options)]
  expect(one.violation?.rule).toBe('price_from_browser')
  expect([two.violation?.replay, two.sequences]).toEqual([one.violation?.replay, one.sequences])
})

test('says what it could not check', async () => {
  const { notChecked } = await explore({ command, adapter: { buyers: 1 }, replay: '' })
  expect(notChecked).toEqual([
    'orders that are edited (edit)',
    'what the page sends after pi-finish (finish)',
    'payments of buyers who do not come back (state)',
    'double fulfilment (fulfilments)',
    'restarts of the shop (survivesRestart)',
    'several buyers (buyers)',
  ])
})

test('a shop that exits during a request of its adapter breaks a rule', async () => {
  const { adapter, ...shop } = shopWith('exits')
  const state = async (buyer: AdapterBuyer): Promise<OrderState> =>
    (await (await buyer.fetch('/edit', { body: 'no JSON' })).json()) as OrderState
  const { violation } = await explore({
    ...shop,
    ...{ adapter: { ...adapter, state }, replay: 'handoff.A.1' },
  })
  expect(violation?.rule).toBe('shop_exited')
})

test.each<[object, string]>([
  [
    { fulfillments: async () => 1 },
    'fulfillments: is not a part of an adapter. The parts are routes, ',
  ],
  [{ constructor: 1 }, 'constructor: is not a part of an adapter.'],
  [{ buyers: 5 }, 'buyers: must be a whole number from 1 to 4.'],
  [{ routes: { hand: '/handoff' } }, 'routes: must be an object with the paths page, handoff, or'],
  [
    { routes: { page: 'shop' } },
    'routes: must be an object with the paths page, handoff, or status.',
  ],
  [{ routes: null }, 'routes: must be an object with the paths page, handoff, or status.'],
  [{ survivesRestart: 'yes' }, 'survivesRestart: must be true or false.'],
  [{ settlesWithin: '3000' }, 'settlesWithin: must be a number of milliseconds from 0.'],
  [{ settlesWithin: -1 }, 'settlesWithin: must be a number of milliseconds from 0.'],
  [{ state: 'paid' }, 'state: must be a function.'],
])('rejects the adapter %j', async (adapter, message) => {
  await expect(explore({ command, adapter })).rejects.toThrow(`adapter.${message}`)
})

test('rejects a shop that does not start, or has no handoff', async () => {
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
  const other = await startSite((_, response) => void response.end())
  onTestFinished(other.close)
  await expect(explore({ command, shop: other.origin })).rejects.toThrow(
    `Another program responds at ${other.origin}. Stop it first.`,
  )
  await expect(explore({ command: [] })).rejects.toThrow('command: must be')
})

test('the command prints the violation, and exits with 1', async () => {
  const options = ['--adapter', adapterFile, '--replay', 'handoff.A.1 handoff.A.1']
  const ran = await runProgram([cli, ...options, '--', ...command], {
    env: { MISTAKE: 'random-key' },
  })
  expect(ran.code).toBe(1)
  expect(ran.output).toMatch(/^The buyer paid twice for one order\. \(double_payment\)\n/)
  expect(ran.output).toContain('\n  2. Buyer A loads the page')
  expect(ran.output).toContain('\n  A  POST /checkout/handoff  200\n')
  expect(ran.output).toContain("--replay 'handoff.A.1 handoff.A.1'")
  expect(ran.output).not.toMatch(/pi_sk_test_|_secret_/)
  expect(ran.errors).toBe('')
})

test('the command prints JSON, and exits with 0 without a violation', async () => {
  const args = ['--adapter', adapterFile, '--runs', '2', '--seed', '5', '--json']
  const ran = await runProgram([cli, ...args, '--', ...command])
  expect([ran.code, ran.errors]).toEqual([0, ''])
  expect(JSON.parse(ran.output)).toEqual({ v: 1, sequences: 2, seed: 5, notChecked: [] })
})

test.each([
  [['--runs', 'many'], '--runs: must be a whole number from 1, not many.'],
  [['--runs', '0'], '--runs: must be a whole number from 1, not 0.'],
  [
    ['--shop', 'localhost'],
    '--shop: must be an origin such as http://localhost:3000, not localhost.',
  ],
  [['--replay', 'pay.E.1'], '--replay: pay.E.1 is not a step.'],
  [['--adapter', adapterFile.replace('adapter', 'none')], 'none.mjs does not exist.'],
])('the command rejects %j with exit code 2', async (args, message) => {
  const ran = await runProgram([cli, ...args, '--', ...command])
  expect([ran.code, ran.output]).toEqual([2, ''])
  expect(ran.errors).toContain(message)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('after %s the command leaves no shop and no folder', async (signal, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-explore-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // The name of each shop's file is its process id.
  const shop = ['sh', '-c', `touch "${folder}/$$"; exec "$@"`, 'sh', ...command]
  const env = { ...process.env, TMPDIR: join(folder, 'tmp') }
  mkdirSync(env.TMPDIR)
  const child = spawn(process.execPath, [cli, '--adapter', adapterFile, '--', ...shop], { env })
  const ids = () => readdirSync(folder).filter((name) => name !== 'tmp')
  await expect.poll(() => ids().length, { timeout: 20_000 }).toBeGreaterThan(1)
  const ended = once(child, 'exit')
  child.kill(signal)
  expect(await ended).toEqual([code, null])
  await expect.poll(() => ids().filter(isRunning), { timeout: 10_000 }).toEqual([])
  expect(readdirSync(env.TMPDIR).filter((name) => name.startsWith('pi-explore-'))).toEqual([])
})

function isRunning(id: string): boolean {
  try {
    return process.kill(Number(id), 0)
  } catch {
    return false
  }
}
