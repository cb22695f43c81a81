import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { apiKey, html, problem, type Step, scriptedService } from '../scripted-service.ts'

afterEach(() => vi.unstubAllEnvs())

async function piCheckout(command: string, env: Record<string, string> = {}) {
  for (const name of ['PI_API_KEY', 'PI_BASE_URL', 'PI_CHECKOUT_ORIGIN']) {
    vi.stubEnv(name, env[name])
  }
  const { exitCode, text } = await run(command.split(' ').filter(Boolean))
  expect(text).not.toContain(env.PI_API_KEY ?? apiKey)
  return [exitCode, text] as const
}

const checkout: Step = (response) => {
  response.writeHead(200, { 'content-type': 'text/javascript' }).end('')
}
const noIntent = problem(404, 'payment_intent_not_found')

async function startStack({ service = noIntent, hosted = checkout } = {}) {
  return {
    PI_API_KEY: sampleKey('a'),
    PI_BASE_URL: (await scriptedService(service)).url,
    PI_CHECKOUT_ORIGIN: (await scriptedService(hosted)).url,
  }
}

test('reports OK for a complete setup', async () => {
  const env = await startStack()
  const [code, text] = await piCheckout('doctor', env)
  expect([code, text.replace(/\d+ ms/, '7 ms').split('\n')]).toEqual([
    0,
    [
      'OK    PI_API_KEY has the right format, for a test environment',
      `OK    PI_BASE_URL is ${env.PI_BASE_URL}`,
      'OK    service responds in 7 ms and accepts the key',
      `OK    PI_CHECKOUT_ORIGIN is ${env.PI_CHECKOUT_ORIGIN}`,
      `OK    checkout ${env.PI_CHECKOUT_ORIGIN} serves the element`,
      '',
      'All checks passed.',
    ],
  ])
})

test('reports each variable that is not set, and what sets it', async () => {
  const [code, text] = await piCheckout('doctor')
  expect(code).toBe(1)
  expect(text.replaceAll(/Set it to .*\./g, 'FIX').split('\n')).toEqual([
    'FAIL  PI_API_KEY environment variable is not set. FIX',
    'FAIL  PI_BASE_URL environment variable is not set. FIX',
    'SKIP  service is not checked before PI_API_KEY and PI_BASE_URL',
    'FAIL  PI_CHECKOUT_ORIGIN environment variable is not set. FIX',
    'SKIP  checkout is not checked before PI_CHECKOUT_ORIGIN',
    '',
    expect.stringMatching('"npx pi-service exec -- COMMAND", which sets it'),
    '',
    '3 failed, 2 skipped.',
  ])
})

const rejecting = { service: problem(401, 'invalid_credentials') }
test.each<[variable: string, value: string, failure: RegExp, { service?: Step; hosted?: Step }?]>([
  ['PI_API_KEY', 'pi_1_secret_x', /PI_API_KEY is a clientSecret\. Set it to the secret API key\./],
  ['PI_BASE_URL', 'http://pay.example', /PI_BASE_URL must be https/],
  [
    'PI_BASE_URL',
    'http://127.0.0.1:1',
    /service .*\(ECONNREFUSED\).* What to do: start the service/,
  ],
  ['PI_API_KEY', apiKey, /service .*invalid_credentials.* What to do: set PI_API_KEY/, rejecting],
  ['PI_CHECKOUT_ORIGIN', 'https://a.example/x', /PI_CHECKOUT_ORIGIN must be .*without a path/],
  [
    'PI_CHECKOUT_ORIGIN',
    'http://127.0.0.1:2',
    /cannot be reached: ECONNREFUSED\. Check PI_CHECKOUT/,
  ],
  ['PI_CHECKOUT_ORIGIN', 'http://localhost:1', /cannot be reached: bad port\. Check/],
  ['PI_CHECKOUT_ORIGIN', 'https://nowhere.invalid', /cannot be reached: (ENOTFOUND|EAI_AGAIN)\. /],
  ['PI_API_KEY', apiKey, /checkout .*it is not the checkout/, { hosted: html() }],
])('reports what is wrong if %s is %s, with its fix', async (variable, value, failure, stack) => {
  const env = { ...(await startStack(stack)), [variable]: value }
  const [code, text] = await piCheckout('doctor', env)
  const failed = text.split('\n').filter((line) => line.startsWith('FAIL'))
  expect([code, failed]).toEqual([1, [expect.stringMatching(failure)]])
})

test('names what a certificate needs if the service has no TLS', async () => {
  const env = await startStack()
  const url = String(env.PI_BASE_URL).replace('http:', 'https:')
  const [, text] = await piCheckout('doctor', { ...env, PI_BASE_URL: url })
  expect(text).toMatch(/FAIL +service .* set NODE_EXTRA_CA_CERTS/)
})

test('reads --env, but variables of the environment take precedence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, '.env')
  await writeFile(file, 'PI_BASE_URL=http://127.0.0.1:1\nPI_CHECKOUT_ORIGIN=http://127.0.0.1:2\n')
  const [, text] = await piCheckout(`doctor --env ${file}`, { PI_BASE_URL: 'http://127.0.0.1:3' })
  expect(text).toContain('OK    PI_BASE_URL is http://127.0.0.1:3')
  expect(text).toContain('OK    PI_CHECKOUT_ORIGIN is http://127.0.0.1:2')
})

const malformed = /^An argument is malformed\.\n\npi-checkout doctor \[--env FILE\]/
const help = /^pi-checkout doctor \[--env FILE\]/
test.each([
  ['refund', 2, malformed],
  ['doctor refund', 2, malformed],
  ['doctor --frobnicate', 2, malformed],
  ['doctor --env', 2, malformed],
  ['doctor --env none.env', 2, /^--env: the file cannot be read\. Pass the file with which/],
  ['', 0, help],
  ['--help', 0, help],
  ['-h', 0, help],
  ['doctor --help', 0, help],
  ['--version', 0, /^\d+\.\d+\.\d+$/],
])('"%s" exits with %i, prints one text, and checks nothing', async (command, code, expected) => {
  const [actual, text] = await piCheckout(command)
  expect(actual).toBe(code)
  expect(text).toMatch(expected)
  expect(text).not.toMatch(/refund|frobnicate|none/)
})
