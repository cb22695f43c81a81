import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { elementHeaders, pinnedElementHeaders } from '../../src/app.ts'
import { staticFile } from '../../src/http/static-files.ts'
import { serveHandlers, temporaryFolder } from '../support/lifetime.ts'

const script = 'export const one = 1\n'
// Where pnpm and npx put a package.
const hosted = join(temporaryFolder(), '.pnpm/dist/hosted')
mkdirSync(hosted, { recursive: true })
const element = staticFile(hosted, () => 'pi-checkout.js', { headers: elementHeaders })
const pinnedElement = staticFile(hosted, ({ file }) => `pi-checkout-${file}`, {
  headers: pinnedElementHeaders,
})
const origin = await serveHandlers({ element, pinnedElement })
const url = `${origin}/v1/pi-checkout.js`

async function ask(headers: Record<string, string> = {}): Promise<Response> {
  // Without it, fetch asks for a new copy.
  return await fetch(url, { headers: { ...headers, 'cache-control': 'max-age=0' } })
}

test('serves a file that is written after the start to pages of any shop', async () => {
  expect((await ask()).status).toBe(404)
  writeFileSync(join(hosted, 'pi-checkout.js'), script)
  const response = await ask()
  expect([response.status, await response.text()]).toEqual([200, script])
  expect(response.headers.get('etag')).toMatch(/^"[\w-]{43}"$/)
})

test('returns 304 for the current ETag, also for one that a proxy weakened', async () => {
  const etag = (await ask()).headers.get('etag') ?? ''
  const same = await ask({ 'if-none-match': etag })
  expect([same.status, await same.text()]).toEqual([304, ''])
  expect(Object.fromEntries(same.headers)).toMatchObject({
    etag,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
  expect((await ask({ 'if-none-match': `"x", W/${etag}` })).status).toBe(304)
  expect((await ask({ 'if-none-match': '"of another build"' })).status).toBe(200)
})

test('serves the file of a version for a year, and no other name', async () => {
  writeFileSync(join(hosted, 'pi-checkout-0.1.0.js'), script)
  const pinned = await fetch(`${origin}/pi-checkout-0.1.0.js`)
  expect([pinned.status, await pinned.text()]).toEqual([200, script])
  expect(Object.fromEntries(pinned.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
  })
  for (const other of ['pi-checkout', 'pi-checkout-9.9.9', 'pi-checkout-x%2F..%2Fpi-checkout']) {
    expect((await fetch(`${origin}/${other}.js`)).status, other).toBe(404)
  }
})

test('serves the smallest file that the client accepts, with a separate tag', async () => {
  for (const [extension, content] of [
    ['br', brotliCompressSync(script)],
    ['gz', gzipSync(script)],
  ] as const) {
    writeFileSync(join(hosted, `pi-checkout.js.${extension}`), content)
  }
  const tags = new Set<string | null>()
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['identity', null],
    ['*;q=0.1', null],
  ] as const) {
    const response = await ask({ 'accept-encoding': accepted })
    expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, encoding])
    expect(response.headers.get('vary')).toBe('accept-encoding')
    expect(await response.text()).toBe(script)
    tags.add(response.headers.get('etag'))
  }
  expect(tags.size).toBe(3)
})
