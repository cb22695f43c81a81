import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { payWith } from '@pi-checkout/element/testing'
import { createCertificate } from '@pi-checkout/test-support/certificate'
import { register } from '@pi-checkout/test-support/example'
import { freePort } from '@pi-checkout/test-support/free-port'
import { postgresBinaries, startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { root } from '@pi-checkout/test-support/process'
import { newSecretKey, startService, startShop } from '@pi-checkout/test-support/stack'
import { expect, test } from '../fixtures/base-test.ts'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'

const programs = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy' }
const proxies = Object.values(programs).every((path) => existsSync(path))

test.skip(!proxies || !postgresBinaries, 'needs nginx, HAProxy, and PostgreSQL')
test.use({ ignoreHTTPSErrors: true })

/** Runs a proxy in the foreground. Arguments follow its file in a folder. */
const commands = {
  nginx: (folder: string) => ['-e', 'stderr', '-p', folder, '-c', `${folder}/nginx.conf`],
  haproxy: (folder: string) => ['-db', '-f', `${folder}/haproxy.cfg`],
}

for (const proxy of ['nginx', 'haproxy'] as const) {
  test(`two instances behind the ${proxy} of the deployment guide serve an https shop that is paid`, async ({
    browser,
  }, { outputDir: folder }) => {
    test.setTimeout(120_000)
    const [one, two] = [await freePort(2), await freePort(2)]
    const [https, http, shopPort] = [await freePort(), await freePort(), await freePort()]
    const ports: Readonly<Record<string, number>> = {
      4000: one,
      4001: one + 1,
      4010: two,
      4011: two + 1,
      443: https,
      80: http,
      3000: shopPort,
    }
    const origin = (name: string): string => `https://${name}.localhost:${https}`
    await mkdir(folder, { recursive: true })
    const { cert, key } = createCertificate(['pay.localhost', 'bank.localhost', 'shop.localhost'])
    const files = { 'fullchain.pem': cert, 'privkey.pem': key, 'payments.pem': cert + key }
    const guide = await readFile(join(root, 'packages/service/guides/deploy.md'), 'utf8')
    for (const [name, text] of Object.entries({ ...files, ...configurations(guide, folder) })) {
      const here = text
        .replaceAll(/\/etc\/(?:letsencrypt\/live\/payments|haproxy)(?=\/)/g, folder)
        .replaceAll(/(?<=listen |bind :|127\.0\.0\.1:|port )\d+/g, (port) => String(ports[port]))
        .replaceAll(/(pay|bank|shop)\.example\.(?:com|net)/g, '$1.localhost')
        // Users other than root may have few files open.
        .replace('maxconn 20000', 'maxconn 400')
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
        PI_TRUSTED_PROXIES: '127.0.0.1',
      }
      const first = await startService(['--port', String(one)], env)
      running.push(first.stop)
      running.push((await startService(['--port', String(two)], env)).stop)
      const api = { ...first.ready, baseUrl: `http://127.0.0.1:${one}` }
      await register(api, origin('shop'))
      // Many origins: a response header lists them, which both proxies must accept.
      const name = Array.from({ length: 3 }, () => 'a'.repeat(60)).join('.')
      for (let at = 1; at <= 18; at++) await register(api, `https://${at}.${name}.example`)
      await promisify(execFile)(programs[proxy], [
        proxy === 'nginx' ? '-t' : '-c',
        ...commands[proxy](folder).filter((argument) => argument !== '-db'),
      ])
      const started = spawn(programs[proxy], commands[proxy](folder), { stdio: 'inherit' })
      running.push(async () => {
        started.kill()
        await once(started, 'exit')
      })

      const forged = { 'x-forwarded-proto': 'http' }
      const page = await browser.newPage({ baseURL: origin('shop'), extraHTTPHeaders: forged })
      // A shop that sets a cookie for https only, as express-session with `cookie.secure` does.
      const plain = createServer(({ headers }, response) => {
        response.end(String(headers['x-forwarded-proto']))
      }).listen(shopPort, '127.0.0.1')
      await expect(async () => {
        await page.goto('/')
        await expect(page.locator('body')).toHaveText('https')
      }).toPass()
      await page.setExtraHTTPHeaders({})
      plain.close().closeAllConnections()

      const shop = await startShop({
        PORT: String(shopPort),
        SHOP_ORIGIN: origin('shop'),
        PI_API_KEY: api.apiKey,
        PI_BASE_URL: api.baseUrl,
        PI_CHECKOUT_ORIGIN: origin('pay'),
        PI_SHOP_DATA: join(folder, 'shop'),
      })
      running.push(shop.stop)
      for (const outcome of ['challenge', 'redirect'] as const) {
        await openCheckout(page)
        await payWith(page, outcome)
        await expectOrder(page, 'paid')
      }
      const response = page.waitForResponse(`${origin('pay')}/_sandbox/`)
      // A browser rejects a 404 without a body.
      await page.goto(`${origin('pay')}/_sandbox/`).catch(() => {})
      expect((await response).status()).toBe(404)
      await page.close()
    } finally {
      for (const stop of running.reverse()) await stop()
    }
  })
}

/** The files of the guide, and what Debian's own `nginx.conf` has around the first. */
function configurations(guide: string, folder: string): Readonly<Record<string, string>> {
  const blockOf = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? ''
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const nginx = `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root root;' : ''}
    pid ${folder}/nginx.pid;
    events { worker_connections 768; }
    http { access_log off; ${folders.join(' ')} ${blockOf('nginx')} }`
  return { 'nginx.conf': nginx, 'haproxy.cfg': blockOf('haproxy') }
}
