import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { command, type ServiceProcess, startProcess } from '../support/process.ts'
import { create, order, retrieve } from '../support/service.ts'

let folder: string
let data: string
let service: ServiceProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pi-service-'))
  data = join(folder, 'data')
  service = await startProcess(['--data', data])
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a start says everything that a merchant and a shop need, in one line', () => {
  const { ready } = service
  expect(Object.keys(ready)).toEqual([
    'v',
    'baseUrl',
    'checkoutOrigin',
    'apiKey',
    'environment',
    'inspectorUrl',
    'adminToken',
  ])
  expect(ready.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(ready.apiKey).toMatch(/^pi_sk_test_[A-Za-z0-9]{36}$/)
})

test('a second process on the same data directory is refused, and the first is unharmed', async () => {
  const second = await command(['start', '--port', '0', '--data', data])
  expect(second.status).toBe(1)
  expect(second.error).toContain(`in use by process ${service.child.pid}`)
  expect((await create(service)).status).toBe(201)
})

test('a key made while the service runs works at once, and a revoked one stops at once (threat 10)', async () => {
  const made = await command([
    ...['keys', 'create', '--merchant', 'Second Shop', '--environment', 'live'],
    ...['--expires', '2099-01-31T00:00:00Z', '--data', data, '--json'],
  ])
  const { id, apiKey } = JSON.parse(made.out) as { id: string; apiKey: string }
  expect(apiKey).toMatch(/^pi_sk_live_/)
  const own = { url: service.url, apiKey }
  const intent = (await (await create(own)).json()) as { id: string }
  expect((await retrieve(own, intent.id)).status).toBe(200)
  expect((await retrieve(service, intent.id)).status).toBe(404)

  const listed = await command(['keys', 'list', '--data', data])
  const end = 'until 2099-01-31T00:00:00.000Z'
  expect(listed.out).toContain(
    `${id}  pi_sk_live_…${apiKey.slice(-4)}  Second Shop (live)  ${end}\n`,
  )
  expect(listed.out).not.toContain(apiKey)

  expect((await command(['keys', 'revoke', id, '--data', data])).status).toBe(0)
  const refused = await retrieve(own, intent.id)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ code: 'revoked_credentials' })
})

test('revokes the clientSecret of a live intent, and ends its open checkout', async () => {
  const origin = 'https://live.example'
  const live = ['--merchant', 'Second Shop', '--environment', 'live', '--data', data, '--json']
  const { apiKey } = JSON.parse((await command(['keys', 'create', ...live])).out)
  await command(['origins', 'add', origin, ...live])
  const made = await create({ url: service.url, apiKey })
  const { id, clientSecret } = (await made.json()) as { id: string; clientSecret: string }
  const open = async (): Promise<Response> =>
    await fetch(`${service.url}/checkout-api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ id, clientSecret, origin }),
    })
  const { token } = (await (await open()).json()) as { token: string }
  const view = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${service.url}/checkout-api/intent`, { headers })).status
  }
  expect(await view()).toBe(200)
  const revoke = (intent: string) => command(['intents', 'revoke-secret', intent, '--data', data])
  expect((await revoke(id)).out).toContain(
    `The clientSecret of ${id} is revoked, and its open checkout sessions have ended.`,
  )
  expect([await view(), (await open()).status]).toEqual([401, 404])
  const mistaken = await revoke(clientSecret)
  expect(mistaken).toMatchObject({ status: 1, out: '' })
  expect(mistaken.error).toContain('No intent has this id')
  expect(mistaken.error).not.toContain(clientSecret.slice(-48))
})

test('an origin is registered exactly or refused with the rule (threat 70)', async () => {
  const added = await command(['origins', 'add', 'https://shop.example', '--data', data, '--json'])
  expect(JSON.parse(added.out)).toEqual({
    v: 1,
    merchant: 'Demo Shop',
    environment: 'test',
    origins: ['http://localhost:3000', 'https://shop.example'],
  })
  for (const origin of ['https://shop.example/', 'http://shop.example', '*', 'shop.example']) {
    const refused = await command(['origins', 'add', origin, '--data', data])
    expect(refused.status).toBe(1)
    expect(refused.error).toContain('must be exact, such as https://shop.example.com')
  }
})

test('merchants and origins are listed, and an origin that is taken out shows the checkout no longer', async () => {
  const args = ['--data', data]
  const { id } = (await (await create(service)).json()) as { id: string }
  const framers = async () => {
    const page = await fetch(`${service.url}/checkout/${id}`)
    return /frame-ancestors ([^;]+)/.exec(page.headers.get('content-security-policy') ?? '')?.[1]
  }
  expect(await framers()).toContain('https://shop.example')
  const [listed, merchants] = await Promise.all([
    command(['origins', 'list', ...args]),
    command(['merchants', 'list', '--json', ...args]),
  ])
  expect(listed.out).toContain('https://shop.example  Demo Shop (test)\n')
  expect((JSON.parse(merchants.out) as { merchants: object[] }).merchants).toContainEqual({
    merchant: 'Demo Shop',
    environment: 'test',
    workingKeys: 1,
    origins: expect.arrayContaining(['http://localhost:3000', 'https://shop.example']),
    createdAt: expect.stringMatching(/^20.*Z$/),
  })

  const remove = ['origins', 'remove', 'https://shop.example', '--json', ...args]
  const removed = JSON.parse((await command(remove)).out) as { origins: string[] }
  expect(removed.origins).not.toContain('https://shop.example')
  expect(await framers()).not.toContain('https://shop.example')
  const again = { command: 'origins remove', origin: 'https://shop.example' } as const
  await expect(sendAdminCommand(data, { ...again, environment: 'test' })).rejects.toThrow(
    'https://shop.example is not registered for Demo Shop (test). Run pi-service origins list',
  )
})

test('after a restart the key is the same and a retry gets the same bytes', async () => {
  const key = { 'idempotency-key': 'over-restart' }
  const first = await create(service, order, key)
  const { apiKey } = service
  expect(await service.stop()).toBe(0)
  service = await startProcess(['--data', data])
  expect(service.apiKey).toBe(apiKey)
  const second = await create(service, order, key)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await second.text()).toBe(await first.text())
})

test('secrets of the service are files for its owner only, and none is in the database (threat 10)', async () => {
  const { clientSecret } = (await (await create(service)).json()) as { clientSecret: string }
  for (const file of ['secret-keys', 'sandbox.json', 'admin.sock']) {
    expect((await stat(join(data, file))).mode & 0o777).toBe(0o600)
  }
  const files = await readdir(join(data, 'database'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name))
    expect(bytes.includes(service.apiKey)).toBe(false)
    expect(bytes.includes(clientSecret.slice(-48))).toBe(false)
  }
})

test('wrong options are refused with their rule and the fix (threat 70)', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const address = busy.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const refusals: [args: string[], words: string][] = [
    [['start', '--port', 'http'], '--port: must be an integer from 0 to 65534'],
    [['start', '--memory', '--port', port], `Port ${port} on 127.0.0.1 is already in use`],
    [['start', '--memory', '--data', 'x'], '--memory and --data: cannot be combined'],
    [['start', '--database-url', 'mysql://x'], '--database-url: must begin with postgres://'],
    [['start', '--colour'], "unknown option '--colour'"],
    [['keys', 'create', '--merchant', 'A', '--environment', 'prod'], 'test, live'],
    [['keys', 'create', '--merchant', '', '--environment', 'test'], 'have 1 to 128 characters'],
    [['keys', 'revoke', 'key_x', '--data', data], 'No key has the id key_x'],
  ]
  for (const [args, words] of refusals) {
    const { status, error } = await command(args)
    expect(error).toContain(words)
    expect(status).toBe(1)
  }
  busy.close()
})

test('exec lets pages of the given origins show the checkout, and its command watch the sandbox', async () => {
  const origins = ['http://localhost:5173', 'https://shop.example.com']
  const script = `
    const { PI_BASE_URL, PI_ADMIN_TOKEN } = process.env
    const headers = { authorization: 'Bearer ' + PI_ADMIN_TOKEN }
    const answer = await fetch(PI_BASE_URL + '/_sandbox/environments', { headers })
    const { environments } = await answer.json()
    console.log(environments[0].origins.join(' '))`
  const options = origins.flatMap((origin) => ['--shop-origin', origin])
  const run = ['exec', ...options, '--', process.execPath, '--input-type=module', '-e', script]
  const { status, out } = await command(run, { PORT: '3055' })
  expect(status).toBe(0)
  expect(out.trim().split(' ').sort()).toEqual(
    ['http://localhost:3000', 'http://localhost:3055', ...origins].sort(),
  )
  const refused = await command(['exec', '--shop-origin', 'http://shop.example.com', '--', 'node'])
  expect(refused).toMatchObject({ status: 1, out: '' })
  expect(refused.error).toContain('--shop-origin: must be an origin such as')
})

test('exec runs a command with the merchant’s variables and ends as it ends', async () => {
  const script = `
    const { PI_BASE_URL, PI_API_KEY, PI_CHECKOUT_ORIGIN } = process.env
    const headers = { authorization: 'Bearer ' + PI_API_KEY }
    const answer = await fetch(PI_BASE_URL + '/payment-intents/pi_x', { headers })
    console.log(answer.status, PI_CHECKOUT_ORIGIN === PI_BASE_URL)
    process.exit(7)`
  const run = ['exec', '--', process.execPath, '--input-type=module', '-e', script]
  expect(await command(run)).toEqual({ status: 7, out: '404 true\n', error: '' })
  const missing = await command(['exec', '--', 'no-such-program'])
  expect(missing).toMatchObject({ status: 1 })
  expect(missing.error).toContain('cannot run no-such-program')
})
