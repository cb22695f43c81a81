import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, type Mock, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { bundle } from '../bundle.ts'
import {
  apiKey,
  created,
  problem,
  reset,
  retrieved,
  type Step,
  scriptedService,
  secret,
  silent,
} from '../scripted-service.ts'

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const variables = ['PI_API_KEY', 'PI_BASE_URL', 'PI_HANDOFF_KEYS', 'PI_CHECKOUT_ORIGIN']

afterEach(() => vi.unstubAllEnvs())

async function piCheckout(
  args: readonly string[],
  env: Record<string, string> = {},
  signal = new AbortController().signal,
): Promise<Result> {
  for (const name of variables) vi.stubEnv(name, env[name])
  const output = { stdout: '', stderr: '' }
  const code = await run(args, {
    print: (text) => {
      output.stdout += `${text}\n`
    },
    warn: (text) => {
      output.stderr += `${text}\n`
    },
    signal,
  })
  return { code, ...output }
}

/** Starts a service, and returns the variables of a client for it. */
async function start(...script: Step[]) {
  const service = await scriptedService(...script)
  return { service, env: { PI_API_KEY: apiKey, PI_BASE_URL: service.url } }
}

const order = ['--order', 'A-1001', '--major', '1500', '--currency', 'amd']

test('create prints the intent, masks its secret, and exits with 0', async () => {
  const { service, env } = await start(created())
  const { code, stdout, stderr } = await piCheckout(['create', ...order], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`pi_scripted  requires_payment_method  ֏1,500  order A-1001
  new; key 7aa84a41-0b50-8086-aadd-b8ef3fe8ec45
  clientSecret [masked]; pass --reveal to show it
`)
  expect(service.keys()).toEqual(['7aa84a41-0b50-8086-aadd-b8ef3fe8ec45'])
  const body = '{"amount":150000,"currency":"AMD","orderId":"A-1001"}'
  expect(service.requests).toMatchObject([{ body }])
})

test('create --reveal prints the secret of the intent that an identical call created', async () => {
  const { service, env } = await start(created({}, { 'idempotent-replayed': 'true' }))
  const extras = ['--idempotency-key', 'k-7', '--reveal']
  const { stdout } = await piCheckout(['create', ...order, ...extras], env)
  expect(stdout.split('\n').slice(1)).toEqual([
    '  created by an earlier, identical call; key k-7',
    `  clientSecret ${secret}`,
    '',
  ])
  expect(service.keys()).toEqual(['k-7'])
})

test('create --json --reveal prints one line with the secret', async () => {
  const { service, env } = await start(created({}, { 'idempotent-replayed': 'true' }))
  const extras = '--customer c1 --name Ani --metadata cart=7=8 --attempt 2 --namespace shop'.split(
    ' ',
  )
  const { stdout } = await piCheckout(['create', ...order, ...extras, '--json', '--reveal'], env)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  const derived = await piCheckout(['key', ...order, ...extras, '--json'])
  expect(service.keys()).toEqual([JSON.parse(derived.stdout).idempotencyKey])
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
  expect(shown).toMatchObject({
    code: 0,
    stdout: `7aa84a41-0b50-8086-aadd-b8ef3fe8ec45
  body       {"amount":150000,"currency":"AMD","orderId":"A-1001"}
  attempt    1
  namespace  (none)
  The same order, attempt, and body always have this key. Any change creates another key.
`,
  })
  const named = await piCheckout(['key', ...order, '--namespace', 'shop', '--attempt', '2'])
  expect(named.stdout).toMatch(/\n {2}attempt {4}2\n {2}namespace {2}shop\n/)
  expect(named.stdout).not.toContain('7aa84a41')
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
  [
    'create --order A --amount 1500 --currency amd',
    /^--amount: is ambiguous\. Pass --major 1500 for whole units or --minor 150000 for minor units\.\n$/,
  ],
  [
    'create --order A --currency amd',
    /^--major or --minor: pass one of them, such as --major 1500\.\n$/,
  ],
  ['key --order A --major 1 --minor 1 --currency amd', /^--major or --minor: pass one/],
  ['key --order A --major 1.999 --currency usd', /^major: must have at most 2 decimals/],
  ['key --order A --major 1 --currency gbp', /^--currency: must be AMD, USD, EUR or RUB\.\n$/],
  ['key --order A --major 1', /^--currency: must be/],
  ['key --order 0f8fad5b-d9cb-469f-a165-70867728950e --minor 1 --currency usd', /a UUID has 36/],
  ['key --major 1 --currency usd', /^--order: is required, such as --order A-1001\.\n$/],
  [
    'key --order A --minor 1.5 --currency usd',
    /^--minor: must be a whole number from 1; received "1\.5"\./,
  ],
  ['key --order A --minor 0 --currency usd', /^--minor: .*received "0"/],
  ['key --order A --minor x1 --currency usd', /^--minor: .*received "x1"/],
  ['key --order A --minor 9007199254740992 --currency usd', /^--minor: must be a whole number/],
  [`key --order A --minor ${'7'.repeat(70)} --currency usd`, /received "7{60}"\./],
  ['key --order A --minor 1 --currency usd --attempt x', /^--attempt: .*received "x"/],
  [
    'key --order A --minor 1 --currency usd --email a@b',
    /^--customer: is required with --email and --name\.\n$/,
  ],
  ['key --order A --minor 1 --currency usd --name Ani', /^--customer: is required/],
  ['key --order A --minor 1 --currency usd --metadata =b', /^--metadata: must be KEY=VALUE\.\n$/],
  ['key --order A --minor 1 --currency usd --metadata a', /^--metadata: must be KEY=VALUE/],
  ['key --order A --frobnicate', /frobnicate/],
  ['refund', /^Unknown command "refund"\. Run pi-checkout --help for a list of commands\.\n$/],
  ['create --order A --major 1 --currency amd', /^PI_API_KEY: environment variable is not set/],
  ['get', /^ID: must be one id, such as pi_…\.\n$/],
  ['get a b', /^ID: must be one id/],
  ['get ..', /^id: must be the id/],
  [
    'get pi_1 --watch --total-timeout 30',
    /^--total-timeout: must be a number with ms, s, m or h, such as 30s or 10m; received "30"\.\n$/,
  ],
  ['get pi_1 --watch --total-timeout x30s', /received "x30s"/],
  ['get pi_1 --watch --total-timeout 30ss', /received "30ss"/],
  [`get pi_1 --watch --total-timeout ${'7'.repeat(70)}`, /received "7{60}"\./],
  ['get pi_1 --watch --total-timeout 0s', /received "0s"/],
  [
    'doctor --page shop',
    /^--page: must be the address of a page, such as http:\/\/localhost:3000\/\.\n$/,
  ],
  ['doctor --page ftp://shop', /^--page: must be/],
])('"%s" exits with 2 and prints the fix', async (command, message) => {
  const env = command.startsWith('get ')
    ? { PI_API_KEY: apiKey, PI_BASE_URL: 'http://[::1]:1' }
    : {}
  const { code, stdout, stderr } = await piCheckout(command.split(' '), env)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  const json = await piCheckout([...command.split(' '), '--json'], env)
  if (command === 'refund') return
  expect(JSON.parse(json.stderr)).toMatchObject({
    v: 1,
    error: { name: expect.any(String), message: stderr.trimEnd() },
  })
})

test('exits with 3 if rejected, 4 after a lost response, 5 without a service', async () => {
  const rejecting = await start(problem(401, 'invalid_credentials'))
  const rejected = await piCheckout(['create', ...order], rejecting.env)
  expect(rejected.code).toBe(3)
  expect(rejected.stderr).toMatch(
    /was rejected with 401 invalid_credentials; no intent was created\nWhat to do: set PI_API_KEY.*\.\nRequest-Id: req_1\n$/,
  )
  expect(rejected.stderr).not.toContain(apiKey)
  const { service, env } = await start(reset)
  const lost = await piCheckout(['create', ...order, '--json'], env)
  expect(lost.code).toBe(4)
  expect(JSON.parse(lost.stderr)).toMatchObject({
    v: 1,
    error: {
      ...{ name: 'ConnectionError', code: 'connection_lost', outcome: 'unknown', retryable: true },
      idempotencyKey: service.keys()[0],
      requests: expect.any(Array),
    },
  })
  await service.close()
  const unsent = await piCheckout(['create', ...order], env)
  expect(unsent.code).toBe(5)
  expect(unsent.stderr).toMatch(/\nWhat to do: .*\.\n$/)
})

test('get prints an intent, and with --watch until it is final', async () => {
  const { env } = await start(
    ...[{}, {}, { status: 'processing' }, { status: 'succeeded' }].map(retrieved),
  )
  const once = await piCheckout(['get', 'pi_abc'], env)
  expect([once.code, once.stdout]).toEqual([
    0,
    'pi_abc  requires_payment_method  ֏1,500  order A-1001\n',
  ])
  const watched = await piCheckout(['get', 'pi_abc', '--watch', '--json'], env)
  expect(watched.code).toBe(0)
  const statuses = watched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).intent.status)
  expect(statuses).toEqual(['requires_payment_method', 'processing', 'succeeded'])
  const failed = await start(retrieved({ status: 'expired' }))
  expect((await piCheckout(['get', 'pi_abc', '--watch'], failed.env)).code).toBe(6)
  const open = await start(retrieved())
  const args = ['get', 'pi_abc', '--watch', '--total-timeout', '100ms']
  expect((await piCheckout(args, open.env)).code).toBe(4)
})

test('replaces control characters of a response, and prints another currency as it is', async () => {
  const { env } = await start(retrieved({ currency: 'XYZ', orderId: 'A\u001b\u202e1' }))
  const { stdout } = await piCheckout(['get', 'pi_abc'], env)
  expect(stdout).toBe('pi_abc  requires_payment_method  150000 XYZ  order A\ufffd\ufffd1\n')
})

test.each(['create', 'get pi_1', 'get pi_1 --watch'])(
  'an aborted "%s" exits with 130',
  async (it) => {
    const args = it === 'create' ? [it, ...order] : it.split(' ')
    const env = { PI_API_KEY: apiKey, PI_BASE_URL: 'http://[::1]:1' }
    expect((await piCheckout(args, env, AbortSignal.abort())).code).toBe(130)
  },
)

/** Starts the program in this process, as from a terminal. */
async function startProgram(...args: string[]): Promise<{ print: Mock; warn: Mock; end: unknown }> {
  const { argv, exitCode } = process
  const print = vi.spyOn(console, 'log').mockReturnValue()
  const warn = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => {
    Object.assign(process, { argv, exitCode })
    vi.restoreAllMocks()
  })
  process.argv = ['node', 'pi-checkout', ...args]
  vi.resetModules()
  return { print, warn, end: import('../../src/cli/main.ts') }
}

test('prints results to standard output', async () => {
  const { print, end } = await startProgram('key', ...order)
  await end
  expect(process.exitCode).toBe(0)
  expect(print).toHaveBeenCalledWith('7aa84a41-0b50-8086-aadd-b8ef3fe8ec45')
})

test('Ctrl-C ends a create with 130, and an intent may exist', { timeout: 60_000 }, async () => {
  const cli = await bundle(fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url)))
  onTestFinished(() => cli.remove())
  const { service, env } = await start(silent)
  const child = spawn(process.execPath, [cli.file, 'create', ...order], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  await expect.poll(() => service.requests.length, { timeout: 30_000 }).toBe(1)
  child.kill('SIGINT')
  expect(await text(child.stderr)).toMatch(/may exist/)
  expect(await closed).toEqual([130, null])
})

test('handles SIGINT with exit code 130 and a message', async () => {
  const { service, env } = await start(silent)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { warn, end } = await startProgram('create', ...order)
  await expect.poll(() => service.requests.length).toBe(1)
  process.listeners('SIGINT').at(-1)?.('SIGINT')
  await end
  expect(process.exitCode).toBe(130)
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/may exist/))
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

test.each(['help', '--help', '-h', 'create --help', ''])(
  '"%s" prints the help',
  async (command) => {
    const args = command.split(' ').filter(Boolean)
    const { code, stdout, stderr } = await piCheckout(args)
    expect(code).toBe(args.length === 0 ? 2 : 0)
    const help = stdout + stderr
    expect(help).toMatch(/^pi-checkout: Payment Intents from the command line\n/)
    expect(help).toContain('\n  130  ended by Ctrl-C\n')
    const codes = [...help.matchAll(/^ {2}(\d+) {2,}/gm)].map(([, number]) => number)
    expect(codes.join(' ')).toBe('0 1 2 3 4 5 6 130')
  },
)
