import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { bundle } from '../bundle.ts'
import {
  apiKey,
  created,
  problem,
  reset,
  retrieved,
  scriptedService,
  secret,
  silent,
} from '../scripted-service.ts'

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const noVariables = Object.fromEntries(
  ['PI_API_KEY', 'PI_BASE_URL', 'PI_HANDOFF_KEYS', 'PI_CHECKOUT_ORIGIN'].map((name) => [
    name,
    undefined,
  ]),
)

afterEach(() => vi.unstubAllEnvs())

async function piCheckout(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Result> {
  for (const [name, value] of Object.entries({ ...noVariables, ...env })) vi.stubEnv(name, value)
  const output = { stdout: '', stderr: '' }
  const code = await run(args, {
    print: (text) => {
      output.stdout += `${text}\n`
    },
    warn: (text) => {
      output.stderr += `${text}\n`
    },
    signal: new AbortController().signal,
  })
  return { code, ...output }
}

const order = ['--order', 'A-1001', '--major', '1500', '--currency', 'amd']

test('create prints the intent, masks its secret, and exits with 0', async () => {
  const service = await scriptedService(created())
  const env = { PI_API_KEY: apiKey, PI_BASE_URL: service.url }
  const { code, stdout, stderr } = await piCheckout(['create', ...order], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^pi_scripted {2}requires_payment_method {2}.*1,500 {2}order A-1001\n/)
  expect(stdout).toContain('key 7aa84a41-0b50-8086-aadd-b8ef3fe8ec45')
  expect(stdout).toContain('clientSecret [masked]; pass --reveal to show it')
  expect(stdout).not.toContain(secret)
  expect(service.bodies()).toEqual(['{"amount":150000,"currency":"AMD","orderId":"A-1001"}'])
})

test('create --json --reveal prints one line with the secret', async () => {
  const service = await scriptedService(created({}, { 'idempotent-replayed': 'true' }))
  const env = { PI_API_KEY: apiKey, PI_BASE_URL: service.url }
  const extras = ['--customer', 'c1', '--name', 'Ani', '--metadata', 'cart=7=8', '--attempt', '2']
  const { stdout } = await piCheckout(['create', ...order, ...extras, '--json', '--reveal'], env)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    v: 1,
    intent: { id: 'pi_scripted', customer: { id: 'c1', name: 'Ani' }, metadata: { cart: '7=8' } },
    handoff: { id: 'pi_scripted', clientSecret: secret },
    replayed: true,
    idempotencyKey: service.keys()[0],
  })
})

test('key prints the derived key and its inputs without a service', async () => {
  const shown = await piCheckout(['key', ...order])
  expect(shown.code).toBe(0)
  expect(shown.stdout).toMatch(/^7aa84a41-0b50-8086-aadd-b8ef3fe8ec45\n.*\{"amount":150000/s)
  const { stdout } = await piCheckout(['key', ...order, '--json'])
  expect(JSON.parse(stdout)).toEqual({
    v: 1,
    idempotencyKey: '7aa84a41-0b50-8086-aadd-b8ef3fe8ec45',
    covers: {
      v: 1,
      op: 'create',
      namespace: '',
      attempt: 1,
      body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' },
    },
  })
})

test.each([
  ['create --order A --amount 1500 --currency amd', /^--amount: is ambiguous\. Pass --major 1500/],
  ['create --order A --currency amd', /^--major or --minor: pass one/],
  ['key --order A --major 1 --minor 1 --currency amd', /^--major or --minor: pass one/],
  ['key --order A --major 1.999 --currency usd', /^major: must have at most 2 decimals/],
  ['key --order A --major 1 --currency gbp', /^--currency: must be AMD, USD, EUR or RUB/],
  ['key --order 0f8fad5b-d9cb-469f-a165-70867728950e --minor 1 --currency usd', /a UUID has 36/],
  ['key --major 1 --currency usd', /^--order: is required/],
  ['key --order A --frobnicate', /frobnicate/],
  ['refund', /^Unknown command "refund"/],
  ['create --order A --major 1 --currency amd', /^PI_API_KEY: environment variable is not set/],
  ['get a b', /^ID: must be one id/],
  ['get ..', /^id: must be the id/],
  [
    'get pi_1 --watch --total-timeout 30',
    /^--total-timeout: must be .* such as 30s or 10m; received "30"/,
  ],
])('"%s" exits with 2 and prints the fix', async (command, message) => {
  const { code, stdout, stderr } = await piCheckout(command.split(' '))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
})

test('exits with 3 if rejected, 4 after a lost response, 5 without a service', async () => {
  const rejecting = await scriptedService(problem(401, 'invalid_credentials'))
  const rejected = await piCheckout(['create', ...order], {
    PI_API_KEY: apiKey,
    PI_BASE_URL: rejecting.url,
  })
  expect(rejected.code).toBe(3)
  expect(rejected.stderr).toMatch(
    /was rejected with 401 invalid_credentials; no intent was created\nWhat to do: set PI_API_KEY/,
  )
  expect(rejected.stderr).not.toContain(apiKey)
  const losing = await scriptedService(reset)
  const env = { PI_API_KEY: apiKey, PI_BASE_URL: losing.url }
  const lost = await piCheckout(['create', ...order, '--json'], env)
  expect(lost.code).toBe(4)
  expect(JSON.parse(lost.stderr)).toMatchObject({
    v: 1,
    error: { code: 'connection_lost', outcome: 'unknown', retryable: true },
  })
  await losing.close()
  expect((await piCheckout(['create', ...order], env)).code).toBe(5)
})

test('get prints an intent, and with --watch until it is final', async () => {
  const service = await scriptedService(
    ...[{}, {}, { status: 'processing' }, { status: 'succeeded' }].map(retrieved),
  )
  const env = { PI_API_KEY: apiKey, PI_BASE_URL: service.url }
  const once = await piCheckout(['get', 'pi_abc'], env)
  expect([once.code, once.stdout]).toEqual([0, expect.stringContaining('pi_abc  requires_payment')])
  const watched = await piCheckout(['get', 'pi_abc', '--watch', '--json'], env)
  expect(watched.code).toBe(0)
  const statuses = watched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).intent.status)
  expect(statuses).toEqual(['requires_payment_method', 'processing', 'succeeded'])
  const failed = await scriptedService(retrieved({ status: 'expired' }))
  const ended = await piCheckout(['get', 'pi_abc', '--watch'], { ...env, PI_BASE_URL: failed.url })
  expect(ended.code).toBe(6)
  const open = await scriptedService(retrieved())
  const args = ['get', 'pi_abc', '--watch', '--total-timeout', '100ms']
  expect((await piCheckout(args, { ...env, PI_BASE_URL: open.url })).code).toBe(4)
})

test('Ctrl-C ends a create with 130, and an intent may exist', { timeout: 60_000 }, async () => {
  const cli = await bundle(fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url)))
  onTestFinished(() => cli.remove())
  const service = await scriptedService(silent)
  const child = spawn(process.execPath, [cli.file, 'create', ...order], {
    env: { PATH: process.env.PATH, PI_API_KEY: apiKey, PI_BASE_URL: service.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  await expect.poll(() => service.requests.length, { timeout: 30_000 }).toBe(1)
  child.kill('SIGINT')
  expect(await text(child.stderr)).toMatch(/may exist/)
  expect(await closed).toEqual([130, null])
})

test('doctor exits with 1 and prints what is missing', async () => {
  const { code, stdout, stderr } = await piCheckout(['doctor'])
  expect([code, stderr]).toEqual([1, ''])
  const found = [...stdout.matchAll(/^(\w+ +[\w.]+) /gm)].map(([, start]) => start)
  expect(found).toEqual([
    'OK    Node.js',
    'FAIL  PI_API_KEY',
    'FAIL  PI_BASE_URL',
    'FAIL  service',
    'OK    PI_HANDOFF_KEYS',
    'FAIL  PI_CHECKOUT_ORIGIN',
  ])
  expect((await piCheckout(['doctor', '--page', 'shop'])).code).toBe(2)
})

test('doctor reads --env, but variables of the environment take precedence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, '.env')
  await writeFile(file, 'PI_BASE_URL=http://127.0.0.1:1\nPI_CHECKOUT_ORIGIN=http://127.0.0.1:2\n')
  const env = { PI_BASE_URL: 'http://127.0.0.1:3' }
  const { stdout } = await piCheckout(['doctor', '--env', file], env)
  expect(stdout).toContain('OK    PI_BASE_URL is http://127.0.0.1:3')
  expect(stdout).toContain('OK    PI_CHECKOUT_ORIGIN is http://127.0.0.1:2')
  const { code, stderr } = await piCheckout(['doctor', '--env', `${file}.none`])
  expect(code).toBe(2)
  expect(stderr).toMatch(/--env: cannot read .*Pass the file with which your shop is started/)
})

test('help lists every exit code', async () => {
  const { code, stdout } = await piCheckout(['--help'])
  expect(code).toBe(0)
  const codes = [...stdout.matchAll(/^ {2}(\d+) {2,}/gm)].map(([, number]) => number)
  expect(codes.join(' ')).toBe('0 1 2 3 4 5 6 130')
})
