import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { piService, runProgram, startProgram } from '@pi-checkout/test-support/process'
import { runPiService } from '@pi-checkout/test-support/stack'
import { expect, test } from 'vitest'
import { serve, temporaryFolder } from '../support/lifetime.ts'
import { Merchant, problemOf, startProcess } from '../support/service.ts'

const data = temporaryFolder()
const service = await startProcess(['--data', data])
/** The port of another program. */
const { port } = new URL(await serve(() => {}))

/** Runs a command on the data directory and returns what it printed. */
async function onData(...args: readonly string[]) {
  return JSON.parse(await runPiService([...args, '--data', data]))
}

/** Runs a command that fails, and returns what it printed to stderr. */
async function failed(...args: readonly string[]): Promise<string> {
  const { code, output, errors } = await runProgram([piService, ...args])
  expect([code, output]).toEqual([1, ''])
  return errors
}

/** @see Finding U7 */
test('lists merchants from the first moment of a start', async () => {
  const directory = temporaryFolder()
  let isReady = false
  const starting = startProcess(['--data', directory]).finally(() => {
    isReady = true
  })
  while (!isReady) await runPiService(['merchants', 'list', '--data', directory])
  await starting
})

/** @see Finding S8 */
test('start --check starts, stops, and fails where a start fails', async () => {
  const check = ['start', '--check', '--port', '0', '--data']
  expect(await runPiService([...check, temporaryFolder()])).toBe('The service can start.\n')
  expect(await failed(...check, data)).toContain('is in use by another service. Stop that service')
  expect(await failed('start', '--check', '--memory', '--port', port)).toContain('already in use')
})

test('prints its version, and in its help what its exit codes mean', async () => {
  expect(await runPiService(['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(await runPiService(['--help'])).toContain('Exit codes: 0 ')
})

test('prints all that a merchant and a shop need in one line', () => {
  expect(service.ready).toEqual({
    v: expect.anything(),
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    checkoutOrigin: service.url,
    apiKey: expect.stringMatching(/^pi_sk_test_[A-Za-z0-9]{16}_[A-Za-z0-9]{36}$/),
    inspectorUrl: `${service.url}/_sandbox/#${service.ready.adminToken}`,
    adminToken: expect.any(String),
  })
})

test('creates and revokes an API key of a running service', async () => {
  const named = ['--merchant', 'Second Shop', '--environment', 'live']
  const { id, apiKey } = await onData('keys', 'create', ...named)
  expect(apiKey).toMatch(/^pi_sk_live_/)
  const live = new Merchant({ url: service.url, apiKey })
  const intent = await live.created()
  const listed = await onData('keys', 'list')
  expect(listed.keys).toContainEqual({
    id,
    display: `pi_sk_live_…${apiKey.slice(-4)}`,
    merchant: 'Second Shop',
    environment: 'live',
    createdAt: expect.stringMatching(/^20.*Z$/),
    revokedAt: null,
  })
  expect(JSON.stringify(listed)).not.toContain(apiKey)
  expect(await onData('keys', 'revoke', id)).toEqual({ id, revoked: true })
  expect(await problemOf(await live.retrieve(intent.id))).toBe('401 revoked_credentials')
})

test('revokes the clientSecret of an intent and ends its open checkout', async () => {
  const page = await service.openPage()
  const { id } = await page.view()
  expect(await onData('intents', 'revoke-secret', id)).toEqual({ id, secretRevoked: true })
  expect((await page.get()).status).toBe(401)
})

test('registers, lists, and removes an exact origin', async () => {
  const origin = 'https://shop.example'
  const origins = ['http://localhost:3000', origin]
  const named = { merchant: 'Tsiran', environment: 'test' }
  expect(await onData('origins', 'add', origin)).toEqual({ ...named, origins })
  const { merchants } = await onData('merchants', 'list')
  expect(merchants).toContainEqual(expect.objectContaining({ ...named, origins, workingKeys: 1 }))
  expect((await onData('origins', 'remove', origin)).origins).not.toContain(origin)
})

/** Ids and names among them that are secrets. */
const { apiKey } = service
const { clientSecret } = await service.created()

test.each([
  ["unknown option '--colour'", ['start', '--colour']],
  ['test, live', ['keys', 'create', '--merchant=A', `--environment=${apiKey}`]],
  ['none that controls', ['keys', 'create', '--merchant', 'A\u001b[2J', '--environment', 'test']],
  ['No key has this id', ['keys', 'revoke', apiKey, '--data', data]],
  ['No intent has this id', ['intents', 'revoke-secret', clientSecret, '--data', data]],
  ['has no such origin. Run', ['origins', 'remove', 'https://no.example', '--data', data]],
  ['must be exact, such as', ['origins', 'add', 'https://a.example/', '--data', data]],
  [
    'no such merchant with a test environment',
    ['origins', 'add', 'https://shop.example', '--merchant', apiKey, '--data', data],
  ],
  ['exec: cannot run the command', ['exec', '--', apiKey]],
  ['--shop-origin: must be', ['exec', '--shop-origin', 'http://shop.example.com', '--', 'node']],
] as const)('rejects arguments with the rule "%s", and repeats no secret', async (rule, args) => {
  const errors = await failed(...args)
  expect(errors).toContain(rule)
  for (const secret of [apiKey, clientSecret.slice(-48)]) expect(errors).not.toContain(secret)
})

test('exec registers origins, sets the variables, and exits with the status of its command', async () => {
  const origins = ['http://localhost:5173', 'https://shop.example.com']
  const script = `
    const { PI_BASE_URL, PI_API_KEY, PI_CHECKOUT_ORIGIN, PI_ADMIN_TOKEN } = process.env
    const get = async (path, token) =>
      await fetch(PI_BASE_URL + path, { headers: { authorization: 'Bearer ' + token } })
    const { status } = await get('/payment-intents/pi_x', PI_API_KEY)
    const { environments } = await (await get('/_sandbox/environments', PI_ADMIN_TOKEN)).json()
    console.log(status, PI_CHECKOUT_ORIGIN === PI_BASE_URL, ...environments[0].origins.sort())
    process.exit(7)`
  const options = origins.flatMap((origin) => ['--shop-origin', origin])
  const run = ['exec', ...options, '--', process.execPath, '--input-type=module', '-e', script]
  const ended = await runProgram([piService, ...run], { env: { PORT: '3055' } })
  const all = ['http://localhost:3000', 'http://localhost:3055', ...origins].join(' ')
  expect(ended).toEqual({ code: 7, output: `404 true ${all}\n`, errors: '' })
})

// Counts a signal, and exits after it, or after some seconds without one.
const counter = `
  let count = 0
  const end = () => { console.log('signals', count); process.exit() }
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => { if (++count === 1) setTimeout(end, 300) })
  }
  setTimeout(end, 5000)
  console.log('ready')`

test('exec passes one Ctrl-C to its command, although npx passes it on too', async () => {
  const exec = [piService, 'exec', '--', process.execPath, '-e', counter]
  const { child, log } = await startProgram(exec, { detached: true })
  // The terminal sends it to the group, and then npx to its command.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await setTimeout(100)
  child.kill('SIGINT')
  await once(child, 'close')
  expect([child.exitCode, log.at(-1)]).toEqual([0, 'signals 1'])
})

test('exec ends the programs that its command started', async () => {
  const command = ['sh', '-c', '"$0" -e "$1"; true', process.execPath, counter]
  const { child, log } = await startProgram([piService, 'exec', '--', ...command])
  child.kill('SIGTERM')
  await once(child, 'close')
  expect([child.exitCode, log.at(-1)]).toEqual([143, 'signals 1'])
})
