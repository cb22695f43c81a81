import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { elementHeaders } from '../../src/app.ts'
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
  const log = pino({ enabled: false })
  server = createServer(
    createListener({ log, observers: [], checks: {}, handlers: { element } }),
  ).listen(0)
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pi-checkout.js`
  expect((await fetch(address)).status).toBe(404)
  await writeFile(join(hosted, 'pi-checkout.js'), script)
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
