import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { elementHeaders, pinnedElementHeaders } from '../../src/app.ts'
import { createListener } from '../../src/http/router.ts'
import { staticFile } from '../../src/http/static-files.ts'

const script = 'export const one = 1\n'
let folder: string
let server: Server
let address: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pi-element-'))
  // Where pnpm and npx put a package.
  const hosted = join(folder, '.pnpm/dist/hosted')
  await mkdir(hosted, { recursive: true })
  const element = staticFile(hosted, 'pi-checkout.js', { headers: () => elementHeaders })
  const pinnedElement = staticFile(hosted, ({ file }) => `pi-checkout-${file}`, {
    headers: () => pinnedElementHeaders,
  })
  const log = pino({ enabled: false })
  server = createServer(
    createListener({ log, observers: [], checks: {}, handlers: { element, pinnedElement } }),
  ).listen(0)
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/pi-checkout.js`
  expect((await fetch(address)).status).toBe(404)
  await writeFile(join(hosted, 'pi-checkout.js'), script)
  await writeFile(join(hosted, 'pi-checkout-0.1.0.js'), script)
})

afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

async function ask(headers: Record<string, string>): Promise<Response> {
  // What a browser says that asks whether its copy is the newest; left out, fetch wants a new one.
  return await fetch(address, { headers: { ...headers, 'cache-control': 'max-age=0' } })
}

test('a page of any shop gets the element, from a folder with dots as well', async () => {
  const answer = await ask({})
  expect([answer.status, await answer.text()]).toEqual([200, script])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    etag: expect.stringMatching(/^"[\w-]{43}"$/),
  })
})

test('the file of a version is stored for a year, and another name is not found', async () => {
  const at = (path: string): Promise<Response> => fetch(new URL(path, address))
  const pinned = await at('/pi-checkout-0.1.0.js')
  expect([pinned.status, await pinned.text()]).toEqual([200, script])
  expect(Object.fromEntries(pinned.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
  })
  const others = [
    '/pi-checkout.js',
    '/pi-checkout-9.9.9.js',
    '/pi-checkout-x%2F..%2Fpi-checkout.js',
  ]
  const statuses = await Promise.all(others.map(async (path) => (await at(path)).status))
  expect(statuses).toEqual([404, 404, 404])
})

test('a browser that has the element is not sent it again', async () => {
  const tag = (await ask({})).headers.get('etag') ?? ''
  const same = await ask({ 'if-none-match': tag })
  expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', tag])
  expect(same.headers.get('x-content-type-options')).toBe('nosniff')
  expect(same.headers.get('access-control-allow-origin')).toBe('*')
  // A proxy that compresses weakens the tag.
  expect((await ask({ 'if-none-match': `"x", W/${tag}` })).status).toBe(304)
  expect((await ask({ 'if-none-match': '"of another build"' })).status).toBe(200)
})
