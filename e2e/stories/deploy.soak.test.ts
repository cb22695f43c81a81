import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { payWith } from '@pi-checkout/element/testing'
import { postgresBinaries } from '@pi-checkout/test-support/postgres'
import { startShop } from '@pi-checkout/test-support/stack'
import { expect, test } from '@playwright/test'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'
import { type Host, startHost } from '../fixtures/deployment-guide.ts'

const proxies = ['/usr/sbin/nginx', '/usr/sbin/haproxy'].every((path) => existsSync(path))

test.skip(!proxies || !postgresBinaries, 'needs nginx, HAProxy, and PostgreSQL')
test.skip(({ browserName }) => browserName !== 'chromium', 'the guide has no step in a browser')
test.use({ ignoreHTTPSErrors: true })

test('the deployment guide leads to an https shop that is paid, in every step', async ({
  browser,
}, testInfo) => {
  test.setTimeout(300_000)
  const host = await startHost()
  try {
    await host.section('1. Install')
    await host.section('2. Database')
    expect(await host.section('3. Settings')).toContain('The service can start.')
    await host.section('4. Start two instances')
    await host.section('5. Proxy')
    expect(await sessionCookie(host)).toContain('sid=')
    const [apiKey = ''] = (await host.section('6. Merchant')).split('\n')
    // Many origins: a response header lists them, which both proxies must accept.
    const name = Array.from({ length: 3 }, () => 'a'.repeat(60)).join('.')
    await host.shell(
      `for at in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do pi-service origins add https://$at.${name}.example --merchant 'Ararat Tea House' --environment test; done`,
    )
    const shop = await startShop({
      PORT: String(host.shopPort),
      SHOP_ORIGIN: host.origin('shop'),
      PI_API_KEY: apiKey,
      PI_BASE_URL: host.baseUrl,
      PI_CHECKOUT_ORIGIN: host.origin('pay'),
      PI_SHOP_DATA: testInfo.outputPath('shop'),
    })
    try {
      const pay = async (outcome: 'succeeded' | 'challenge' | 'redirect') => {
        const page = await browser.newPage({ baseURL: host.origin('shop') })
        await openCheckout(page)
        await payWith(page, outcome)
        await expectOrder(page, 'paid')
        await page.close()
      }
      await host.section('8. Check')
      await pay('challenge')
      await host.section('9. Restart, upgrade, and rotate')
      await host.shell(
        'systemctl restart pi-service@4000 pi-service@4010; curl -fsS --retry 20 --retry-connrefused http://127.0.0.1:4010/readyz',
      )
      await pay('redirect')
      await host.section('10. Back up')
      expect(await host.shell('pg_restore --list /var/backups/payments.dump')).toContain('intents')
      // The other proxy, at the same address.
      await host.shell(
        'nginx -s stop; while [ -e run/nginx ]; do sleep 0.1; done; haproxy -D -f /etc/haproxy/haproxy.cfg -p run/haproxy',
      )
      await host.section('8. Check')
      await pay('challenge')
    } finally {
      await shop.stop()
    }
    expect(await sessionCookie(host)).toContain('sid=')
  } finally {
    await host.stop()
  }
})

/** Returns the cookie of a shop that sets one for https only, as express-session with `cookie.secure` does. */
async function sessionCookie(host: Host): Promise<string> {
  const shop = createServer(({ headers }, response) => {
    if (headers['x-forwarded-proto'] === 'https') response.setHeader('set-cookie', 'sid=1; Secure')
    response.end()
  }).listen(host.shopPort, '127.0.0.1')
  try {
    const { hostname, port } = new URL(host.origin('shop'))
    const proxy = `--resolve ${hostname}:${port}:127.0.0.1 ${host.origin('shop')}`
    return await host.shell(
      `curl -fsS --retry 5 --retry-all-errors -o /dev/null -D - -H 'X-Forwarded-Proto: http' ${proxy}`,
    )
  } finally {
    shop.close()
    shop.closeAllConnections()
  }
}
