import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { apiKey, problem, type Step, scriptedService } from '../scripted-service.ts'

afterEach(() => vi.unstubAllEnvs())

async function piCheckout(args: readonly string[], env: Record<string, string> = {}) {
  for (const name of ['PI_API_KEY', 'PI_BASE_URL', 'PI_CHECKOUT_ORIGIN']) {
    vi.stubEnv(name, env[name])
  }
  const print = vi.fn<(text: string) => void>()
  const warn = vi.fn<(text: string) => void>()
  const code = await run(args, { print, warn })
  const [stdout, stderr] = [print, warn].map(({ mock }) => mock.calls.join('\n'))
  expect(stdout).not.toContain(apiKey)
  return { code, stdout, stderr }
}

const checkout: Step = (response) => {
  response.writeHead(200, { 'content-type': 'text/javascript' }).end('')
}

async function startStack(hosted = checkout, service = problem(404, 'payment_intent_not_found')) {
  return {
    PI_API_KEY: apiKey,
    PI_BASE_URL: (await scriptedService(service)).url,
    PI_CHECKOUT_ORIGIN: (await scriptedService(hosted)).url,
  }
}

test('reports OK for a complete setup', async () => {
  const env = {
    ...(await startStack()),
    PI_API_KEY: sampleKey('a'),
  }
  const { code, stdout, stderr } = await piCheckout(['doctor'], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout?.replace(/\d+ ms/, '7 ms').split('\n')).toEqual([
    'OK    PI_API_KEY has the right format, for a test environment',
    `OK    PI_BASE_URL is ${env.PI_BASE_URL}`,
    'OK    service responds in 7 ms and accepts the key',
    `OK    PI_CHECKOUT_ORIGIN is ${env.PI_CHECKOUT_ORIGIN}`,
    `OK    checkout ${env.PI_CHECKOUT_ORIGIN} serves the element`,
    '',
    'All checks passed.',
  ])
})

test('reports each variable that is not set, and what sets it', async () => {
  const { code, stdout } = await piCheckout(['doctor'])
  expect(code).toBe(1)
  const unset = (name: string) => `FAIL  ${name} environment variable is not set\\. Set it to .*\\.`
  expect(stdout).toMatch(
    new RegExp(
      `^${unset('PI_API_KEY')}\n${unset('PI_BASE_URL')}\nSKIP  service is not checked before the variables above are set\n${unset('PI_CHECKOUT_ORIGIN')}\nSKIP  checkout is not checked before PI_CHECKOUT_ORIGIN is set\n\n.* "npx pi-service exec -- COMMAND", which sets it\\.\n\n3 failed, 2 skipped\\.$`,
    ),
  )
})

const html: Step = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end()
}
const broken: [string, Record<string, string>, RegExp, (readonly [Step?, Step?])?][] = [
  [
    'a clientSecret as key',
    { PI_API_KEY: 'pi_1_secret_x' },
    /PI_API_KEY is a clientSecret\. Set it to the secret API key\./,
  ],
  ['plain http', { PI_BASE_URL: 'http://pay.example' }, /PI_BASE_URL must be https/],
  [
    'no service',
    { PI_BASE_URL: 'http://127.0.0.1:1' },
    /service .*could not be sent to http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\).* What to do: start the service/,
  ],
  [
    'a rejected key',
    {},
    /service .*invalid_credentials.* What to do: set PI_API_KEY/,
    [checkout, problem(401, 'invalid_credentials')],
  ],
  [
    'a path as origin',
    { PI_CHECKOUT_ORIGIN: 'https://a.example/x' },
    /PI_CHECKOUT_ORIGIN must be .*without a path/,
  ],
  [
    'no checkout',
    { PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:2' },
    /checkout http:\/\/127\.0\.0\.1:2 cannot be reached: ECONNREFUSED\. Check PI_CHECKOUT_ORIGIN/,
  ],
  [
    'a checkout on a port that browsers block',
    { PI_CHECKOUT_ORIGIN: 'http://localhost:1' },
    /checkout http:\/\/localhost:1 cannot be reached: bad port\. /,
  ],
  [
    'a checkout whose host name does not exist',
    { PI_CHECKOUT_ORIGIN: 'https://nowhere.invalid' },
    /checkout https:\/\/nowhere\.invalid cannot be reached: (ENOTFOUND|EAI_AGAIN)\. /,
  ],
  ['another server as checkout', {}, /checkout .*it is not the checkout/, [html]],
]
test.each(broken)('reports %s with its fix', async (_, changes, expected, steps = []) => {
  const env = { ...(await startStack(...steps)), ...changes }
  const { code, stdout } = await piCheckout(['doctor'], env)
  expect(code).toBe(1)
  expect(
    stdout
      ?.split('\n')
      .filter((line) => line.startsWith('FAIL'))
      .join('\n'),
  ).toMatch(expected)
})

test('reads --env, but variables of the environment take precedence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, '.env')
  await writeFile(file, 'PI_BASE_URL=http://127.0.0.1:1\nPI_CHECKOUT_ORIGIN=http://127.0.0.1:2\n')
  const { stdout } = await piCheckout(['doctor', '--env', file], {
    PI_BASE_URL: 'http://127.0.0.1:3',
  })
  expect(stdout).toContain('OK    PI_BASE_URL is http://127.0.0.1:3')
  expect(stdout).toContain('OK    PI_CHECKOUT_ORIGIN is http://127.0.0.1:2')
})

const malformed = /^An argument is malformed\.\n\npi-checkout doctor \[--env FILE\]/
test.each([
  ['', malformed],
  ['refund', malformed],
  ['doctor refund', malformed],
  ['doctor --frobnicate', malformed],
  ['doctor --env', malformed],
  ['doctor --env none.env', /^--env: the file cannot be read\. Pass the file with which/],
])('"%s" exits with 2 and prints the fix', async (command, message) => {
  const { code, stdout, stderr } = await piCheckout(command.split(' ').filter(Boolean))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/refund|frobnicate|none/)
})

test.each([
  ['--help', /^pi-checkout doctor \[--env FILE\]/],
  ['-h', /^pi-checkout doctor \[--env FILE\]/],
  ['doctor --help', /^pi-checkout doctor \[--env FILE\]/],
  ['--version', /^\d+\.\d+\.\d+$/],
])('"%s" prints one text and checks nothing', async (command, text) => {
  const { code, stdout, stderr } = await piCheckout(command.split(' '))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(text)
})
