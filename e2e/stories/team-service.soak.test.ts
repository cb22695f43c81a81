import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { payWith } from '@pi-checkout/element/testing'
import { createCertificate } from '@pi-checkout/test-support/certificate'
import { register } from '@pi-checkout/test-support/example'
import { freePort } from '@pi-checkout/test-support/free-port'
import { postgresBinaries, startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { newSecretKey, startService, startShop } from '@pi-checkout/test-support/stack'
import { readDocument } from '../../scripts/docs/documents.mjs'
import { expect, test } from '../fixtures/base-test.ts'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'

const nginx = '/usr/sbin/nginx'

test.skip(!existsSync(nginx) || !postgresBinaries, 'needs nginx and PostgreSQL')
test.use({ ignoreHTTPSErrors: true })

test('two instances behind the proxy of the guide for a team serve an https shop that is paid', async ({
  browser,
}, { outputDir: folder }) => {
  test.setTimeout(120_000)
  const [one, two] = [await freePort(2), await freePort(2)]
  const [https, shopPort] = [await freePort(), await freePort()]
  const ports: Readonly<Record<string, number>> = {
    4000: one,
    4001: one + 1,
    4010: two,
    4011: two + 1,
    443: https,
  }
  const origin = (name: string): string => `https://${name}.localhost:${https}`
  await mkdir(folder, { recursive: true })
  const { cert, key } = await createCertificate(['pay.localhost', 'bank.localhost'])
  const { blocks } = readDocument('packages/service/guides/team.md')
  const nginxBlock = blocks.find(({ language }) => language === 'nginx')
  const files = {
    'fullchain.pem': cert,
    'privkey.pem': key,
    'nginx.conf': configuration(String(nginxBlock?.code)),
  }
  for (const [name, text] of Object.entries(files)) {
    const here = text
      .replaceAll('/etc/letsencrypt/live/payments/', '')
      .replaceAll(/(?<=listen |127\.0\.0\.1:)\d+/g, (port) => String(ports[port]))
      .replaceAll(/(pay|bank)\.example\.(?:com|net)/g, '$1.localhost')
    await writeFile(join(folder, name), here)
  }
  const running: (() => unknown)[] = []
  try {
    const database = await startTemporaryPostgres()
    running.push(database.stop)
    const env = {
      PI_DATABASE_URL: database.url,
      PI_SECRET_KEY: newSecretKey(),
      PI_PUBLIC_URL: origin('pay'),
      PI_CHALLENGE_URL: origin('bank'),
    }
    const first = await startService(['--port', String(one)], env)
    running.push(first.stop)
    running.push((await startService(['--port', String(two)], env)).stop)
    const api = { ...first.ready, baseUrl: `http://127.0.0.1:${one}` }
    const shopOrigin = `http://localhost:${shopPort}`
    await register(api, shopOrigin)
    // Many origins: a response header lists them, which the proxy must accept.
    const name = Array.from({ length: 3 }, () => 'a'.repeat(60)).join('.')
    for (let at = 1; at <= 18; at++) await register(api, `https://${at}.${name}.example`)
    const command = ['-e', 'stderr', '-p', folder, '-c', `${folder}/nginx.conf`]
    await promisify(execFile)(nginx, ['-t', ...command])
    const started = spawn(nginx, command, { stdio: 'inherit' })
    running.push(async () => {
      started.kill()
      await once(started, 'exit')
    })

    const shop = await startShop({
      PORT: String(shopPort),
      SHOP_ORIGIN: shopOrigin,
      PI_API_KEY: api.apiKey,
      PI_BASE_URL: api.baseUrl,
      PI_CHECKOUT_ORIGIN: origin('pay'),
      PI_SHOP_DATA: join(folder, 'shop'),
    })
    running.push(shop.stop)
    const page = await browser.newPage({ baseURL: shopOrigin })
    for (const outcome of ['challenge', 'redirect'] as const) {
      await openCheckout(page)
      await payWith(page, outcome)
      await expectOrder(page, 'paid')
    }
    const inspector = await page.goto(`${origin('pay')}/_sandbox/`)
    expect(inspector?.status()).toBe(404)
    await page.close()
  } finally {
    for (const stop of running.reverse()) await stop()
  }
})

/** The block of the guide, and what Debian's own `nginx.conf` has around it. Paths are below the folder of the file. */
function configuration(block: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${kind};`,
  )
  return `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root root;' : ''}
    pid nginx.pid;
    events { worker_connections 768; }
    http { access_log off; ${folders.join(' ')} ${block} }`
}
